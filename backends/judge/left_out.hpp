#pragma once

#include "backends/judge/admission.hpp"
#include "backends/judge/truth.hpp"

namespace ke {

/// Whether the check of inputs as drawn, at the sizes of one workload, sees that a little of the work is left
/// out (admission::leave_out). `truths`, which uses `shapes`, is tightened until it does or can't be any
/// more; what the check then still accepts are the reasons of the result. No reasons, too, where the
/// reference fails on its own inputs: whoever asks for a slot will hear why. A reference that takes long is
/// asked less: about `limit_s` in all for each drawn input.
result<admission> try_left_out_work(truth_source& truths, const problem& what, const bound_shapes& shapes,
                                    double limit_s);

} // namespace ke
