#include "runtime/search/policy/policy.hpp"

#include "runtime/core/search_kinds.hpp"
#include "runtime/core/settings.hpp"

namespace ke {

result<std::unique_ptr<policy>> make_policy(const search_settings& settings) {
  switch (settings.policy) {
  case policy_kind::mcts:
    return settings.rule == tree_rule_kind::uct ? make_uct(settings) : make_mcts(settings);
  case policy_kind::greedy:
    return make_mcts(settings);
  case policy_kind::best_of_n:
    return make_best_of_n(settings);
  case policy_kind::evolution:
    return make_evolution(settings);
  case policy_kind::beam:
    return make_beam(settings);
  }
  return failure{failure_kind::invalid, "[search] policy: use mcts, evolution, beam, greedy or best-of-n",
                 false};
}

} // namespace ke
