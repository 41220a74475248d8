#include "backends/judge/spoiled_answers.hpp"

#include <utility>

namespace ke {

result<bool> enter_spoiled_answers(admission& seen, truth_source& truths, const bank_slot& slot,
                                   std::vector<admission::spoiled_input> wrong, const bound_shapes& shapes) {
  auto right = truths.reference_outputs(); // a copy: a reference that is started anew has others
  std::vector<bank_slot> inputs;
  inputs.reserve(wrong.size());
  for (auto& w : wrong)
    inputs.push_back(std::move(w.slot));
  auto said = truths.answers(inputs);
  for (std::size_t i = 0; i < said.size(); ++i)
    seen.add_spoiled(wrong[i], slot, right, std::move(said[i]));
  if (said.size() == wrong.size())
    return true;
  if (auto used = truths.use(shapes); !used)
    return used.error();
  return false;
}

status enter_another_draw(admission& seen, truth_source& truths, std::span<const bank_slot> drawn,
                          const bound_shapes& shapes) {
  // The same inputs in each draw have one answer: that is no fault of the check's.
  if (seen.met_another() || drawn.size() < 2 || drawn.front().inputs == drawn.back().inputs)
    return ok;
  auto said = truths.answers(drawn.first(1));
  if (said.empty())
    return truths.use(shapes);
  seen.add(drawn.front(), shapes, said.front());
  return ok;
}

} // namespace ke
