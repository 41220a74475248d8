#pragma once

#include "backends/judge/python_payload.hpp"
#include "backends/profile/case_file.hpp"
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

/// What a tool printed of a call, and how its program ended.
struct tool_print {
  std::string text, last_words;
  int code = 0;
};

/// The same of any cases, each a fresh draw of inputs, by one process: of the candidate or, in Python, of the reference.
/// Device code is called on the first case alone. Fails where nothing was called.
result<tool_print> call_cases(const profile_task& task, const std::vector<std::string>& tool,
                              python_role whom, const std::vector<case_choice>& cases,
                              process_port& processes);

} // namespace ke
