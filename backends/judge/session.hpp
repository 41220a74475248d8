#pragma once

#include "backends/judge_task.hpp"
#include "runtime/core/verdict.hpp"

namespace ke {

/// The whole trusted evaluation of one candidate: correctness on fresh inputs, then paired timing, every
/// timed call checked. Never throws for what a candidate does; what fails on our side is `harness_error`.
/// Blocks; SIGPIPE must be ignored.
evidence judge(const judge_task& task);

} // namespace ke
