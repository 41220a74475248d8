#pragma once

#include "backends/judge/fake_answers.hpp"
#include "backends/judge/truth.hpp"
#include "runtime/core/problem.hpp"

#include <optional>

namespace ke {

/// Whether the check, with inputs as drawn and the sizes of one workload, sees that a little work is left out
/// (admission::leave_out). Tightens `truths`, which must be using `shapes`, until it does or there is nothing
/// left to tighten; the result's reasons are what the check still accepts. Nothing if the reference fails on
/// its own inputs: see truths.why_unfit(). A slow reference is asked less: about `limit_s` in all for each
/// drawn input.
result<std::optional<admission>> try_left_out_work(truth_source& truths, const problem& what,
                                                   const bound_shapes& shapes, double limit_s);

} // namespace ke
