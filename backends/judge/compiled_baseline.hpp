#pragma once

#include "backends/evidence/judge_task.hpp"
#include "runtime/core/job_limits.hpp"
#include "runtime/core/result.hpp"

#include <cstddef>
#include <string>

namespace ke {

/// Bytes of what a process packs: a length, then the files.
inline constexpr std::size_t most_compiled = 64u << 20;

/// Lets a baseline that compiles itself in its first calls (torch.compile) do so beforehand: it takes longer
/// than a call may. It is called alone on each workload, and if there are several, in one process on all, as
/// a launch does; these processes share `compile_s`. The compiler's products in the scratch are packed, for
/// the scratch of each of its later processes and no others.
prepared_baseline prepare_baseline(const judge_task& task);

/// A preparation's products in this file; nothing for no file.
result<std::string> read_compiled(const std::string& file);

/// Whether this text in a process is the self-compiling baseline: in its own role, or as the candidate of the
/// problem's admission.
bool is_compiling(const judge_task& task, const std::string& source);

/// Limits for the baseline's processes. They find what was compiled; anything missing is compiled in a call,
/// which may take up to half of the measurement. Others keep their limits.
job_limits baseline_limits(const judge_task& task);

} // namespace ke
