#pragma once

#include "runtime/core/result.hpp"
#include "runtime/process/process_port.hpp"

#include <string>
#include <vector>

namespace ke {

struct profile_task;

/// Calls a candidate under a tool that looks into what runs on a device: a correct one on the case with the longest call,
/// one that has crashed on the case that it crashed on. Some calls to warm up, then one between the driver's profiler
/// start and stop. `tool`: its words, to which those of
/// the call are added. All in one sandbox, with the job's device alone, which no judge uses meanwhile. Returns what the
/// tool printed (untrusted: the candidate may have printed it). Fails with the reason that a person needs: the device
/// is gone, the last words of a tool that ended ill (of a crash it may). Blocks.
result<std::string> call_under(const profile_task& task, const std::vector<std::string>& tool,
                               process_port& processes);

} // namespace ke
