#pragma once

#include "backends/evidence/judge_task.hpp"
#include "backends/judge/driver_seam.hpp"
#include "runtime/core/evidence.hpp"

namespace ke {

/// The whole trusted evaluation of one candidate: correctness on fresh inputs, then paired timing with every
/// timed call checked. Never throws for a candidate's acts; a failure on our side is `harness_error`. Blocks;
/// SIGPIPE must be ignored.
evidence judge(const judge_task& task);

/// The same by this driver, whatever the task names.
evidence judge(const judge_task& task, const driver_seam& seam);

} // namespace ke
