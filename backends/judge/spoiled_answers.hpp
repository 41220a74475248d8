#pragma once

#include "backends/judge/admission.hpp"
#include "backends/judge/truth.hpp"

#include <vector>

namespace ke {

/// What the reference says to the spoiled forms `wrong` of `slot`, the last pair that `truths` made, into
/// `seen`: would the check take it for right? False where the reference died of one of them; it has been
/// started anew then, for `shapes`, which `truths` uses. Fails where it cannot be.
result<bool> enter_spoiled_answers(admission& seen, truth_source& truths, const bank_slot& slot,
                                   const std::vector<admission::spoiled_input>& wrong,
                                   const bound_shapes& shapes);

} // namespace ke
