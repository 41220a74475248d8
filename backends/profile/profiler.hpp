#pragma once

#include "backends/evidence/profile_result.hpp"
#include "runtime/process/process_port.hpp"

#include <string>

namespace ke {

struct profile_task;

/// Looks closer at a judged candidate, one tool after the other:
///   correct   where the time goes (ke-runner's samples), the hottest loop (objdump), what that loop waits
///             for (llvm-mca), the compiler's remarks, hardware counters if there are any (perf), exact
///             counts by simulation (callgrind) if `thorough` or if all that leaves doubt
///   crashed   the failing case again, once, built with AddressSanitizer and UndefinedBehaviorSanitizer
/// A tool that is absent, fails or takes too long leaves its part out. Every process that reads or runs the
/// candidate is sandboxed. Blocks.
profile_result profile(const profile_task& task, process_port& processes);

/// Calls `task.object`, a copy of a correct candidate with time stamps at its loops, once, sandboxed, on the
/// case with the longest call. Returns what it printed (untrusted; for backends/evidence/loop_times.hpp);
/// empty if it failed. Blocks.
std::string call_instrumented(const profile_task& task, process_port& processes);

} // namespace ke
