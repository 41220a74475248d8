#pragma once

#include "backends/judge/fake_answers.hpp"
#include "backends/judge/truth.hpp"

#include <vector>

namespace ke {

/// Enters into `seen` the reference's answers to the spoiled forms `wrong` of `slot`, the last pair made by
/// `truths`: would the check take them for right? False: the reference died of one, and was restarted for
/// `shapes`, which `truths` uses. Fails if it can't be restarted.
result<bool> enter_spoiled_answers(admission& seen, truth_source& truths, const bank_slot& slot,
                                   std::vector<admission::spoiled_input> wrong, const bound_shapes& shapes);

} // namespace ke
