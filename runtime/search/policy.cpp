#include "runtime/search/policy.hpp"

#include <string>

namespace ke {

result<std::unique_ptr<policy>> make_policy(const search_settings& settings) {
  switch (settings.policy) {
  case policy_kind::mcts:
    return make_mcts(settings);
  case policy_kind::greedy: {
    auto s = settings;
    s.exploration = 0;
    return make_mcts(s);
  }
  case policy_kind::best_of_n:
    return make_best_of_n(settings);
  case policy_kind::evolution:
  case policy_kind::beam:
    break;
  }
  return failure{failure_kind::invalid,
                 "[search] policy = \"" + std::string{to_text(settings.policy)} +
                     "\" is not available in this version; use mcts, greedy or best-of-n"};
}

} // namespace ke
