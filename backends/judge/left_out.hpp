#pragma once

#include "backends/judge/admission.hpp"
#include "backends/judge/truth.hpp"

#include <optional>

namespace ke {

/// Whether the check of inputs as drawn, at the sizes of one workload, sees that a little of the work is left
/// out (admission::leave_out). `truths`, which uses `shapes`, is tightened until it does or can't be any
/// more; what the check then still accepts are the reasons of the result. Nothing where the reference fails
/// on its own inputs: truths.why_unfit() says how. A reference that takes long is asked less: about `limit_s`
/// in all for each drawn input.
result<std::optional<admission>> try_left_out_work(truth_source& truths, const problem& what,
                                                   const bound_shapes& shapes, double limit_s);

} // namespace ke
