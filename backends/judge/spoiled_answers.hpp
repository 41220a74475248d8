#pragma once

#include "backends/judge/fake_answers.hpp"
#include "backends/judge/truth.hpp"

#include <span>
#include <vector>

namespace ke {

/// Enters into `seen` the reference's answers to the spoiled forms `wrong` of `slot`, the last pair made by
/// `truths`: would the check take them for right? False: the reference died of one, and was restarted for
/// `shapes`, which `truths` uses. Fails if it can't be restarted.
result<bool> enter_spoiled_answers(admission& seen, truth_source& truths, const bank_slot& slot,
                                   std::vector<admission::spoiled_input> wrong, const bound_shapes& shapes);

/// Enters another of the inputs `drawn` into `seen`, if all that it has met so far were the last of them: an answer
/// that no input changes shows only beside another one. Fails if the reference died of it and can't be
/// restarted.
status enter_another_draw(admission& seen, truth_source& truths, std::span<const bank_slot> drawn,
                          const bound_shapes& shapes);

} // namespace ke
