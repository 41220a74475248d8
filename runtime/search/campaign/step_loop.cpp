#include "runtime/search/campaign/step_loop.hpp"

#include "runtime/core/node_state.hpp"
#include "runtime/search/policy/credit.hpp"

namespace ke {

std::size_t in_evaluation(const tree_index& tree) {
  return tree.count(node_state::answered) + tree.count(node_state::building) +
         tree.count(node_state::measuring);
}

std::uint32_t step_loop::to_begin(const search_tree& tree, const campaign_state& books,
                                  std::uint32_t slots) const {
  const auto& index = tree.tree();
  auto evaluating = static_cast<std::uint32_t>(in_evaluation(index));
  auto busy = std::min(slots, evaluating);
  return credit(
      {.slots = slots,
       .busy = busy,
       .queued = evaluating - busy,
       .asking =
           static_cast<std::uint32_t>(index.count(node_state::planned) + index.count(node_state::asked)),
       .model_latency_s = latency_.value(),
       .evaluations_per_s = evaluation_.value() > 0 ? slots / evaluation_.value() : 0,
       .parallel = static_cast<std::uint32_t>(books.settings().search.parallel),
       .candidates_left = books.money().candidates_left() + (tree.can_tune() ? books.tune_left() : 0)});
}

} // namespace ke
