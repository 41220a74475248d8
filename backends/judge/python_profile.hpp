#pragma once

#include "backends/evidence/judge_task.hpp"
#include "backends/judge/caller.hpp"
#include "runtime/core/evidence.hpp"

#include <cstdint>
#include <vector>

namespace ke {

/// Calls a Python candidate once more, under PyTorch's profiler, in a sandbox of its own, apart from all
/// timing. The output becomes the finding "profiler" as it is: the candidate may have forged it
/// (backends/evidence/torch_profile.hpp reads it). Says nothing about right and wrong, and nothing at all if the run
/// fails. If the policy allows no vendor libraries and a fused operator of PyTorch that the reference does
/// not call does the work (library_calls.hpp), `found` ends as policy_violation.
void profile_python(const driver_seam& seam, const judge_task& task, const profiled_inputs& with,
                    const std::vector<int>& cpus, evidence& found);

} // namespace ke
