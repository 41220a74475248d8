#pragma once

#include "backends/judge_task.hpp"
#include "runtime/core/result.hpp"

#include <string>

namespace ke {

/// The baseline compiles itself in its first calls (torch.compile), which takes longer than a call may. So it
/// is called beforehand, in processes of its own that have `compile_s` together: alone on each workload, and
/// where there are several in one process on all of them, as a launch calls it. What its compiler left in
/// its scratch is packed and goes into the scratch of each of its later processes, and of no others.
prepared_baseline prepare_baseline(const judge_task& task);

/// What a preparation left in this file; nothing for no file.
result<std::string> read_compiled(const std::string& file);

/// Whether this text in a process is the baseline that compiles itself: in its own role, or as the candidate
/// of the problem's admission.
bool is_compiling(const judge_task& task, const std::string& source);

/// Its processes find what was compiled; what is not there after all is compiled in a call that may take as
/// long as half of the measurement. Others keep their limits.
job_limits baseline_limits(const judge_task& task);

} // namespace ke
