#pragma once

#include "backends/judge/caller.hpp"
#include "backends/judge_task.hpp"
#include "runtime/core/verdict.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ke {

/// Runs a Python candidate once more, under PyTorch's profiler, in a sandbox of its own and apart from all
/// timing. Enters `torch.op.NAME.self_us`, `.calls` and `.share` of the ten operators that took most, and
/// `torch.self_us` of all. Says nothing about right and wrong, and nothing at all if the run fails.
void profile_python(const judge_task& task, const bound_shapes& shapes, const bank_slot& slot,
                    const std::vector<int>& cpus, evidence& found);

/// The profiler's summary, which a candidate may have forged: lines "total US" and "US CALLS NAME". At most
/// ten operators with plain names and finite numbers are taken. Pure.
std::map<std::string, double> read_profile(std::string_view text);

} // namespace ke
