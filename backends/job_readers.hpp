#pragma once

#include "backends/job_graph.hpp"
#include "backends/profile_task.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace ke {

/// Makes additions to the evidence of a text that a job printed or left. The text is untrusted: a reader is
/// bounded and never fails, it finds less. Pure.
using job_reader = profile_result (*)(std::string_view text);

/// By the format that a backend.toml names ([[job]] reads = "..."); null if no job of this kind reads it.
///   profile: counters
///     instruction-mix   `objdump -d` of a built object (instruction_mix.hpp)
///     name-value        lines `name = number`, for a vendor's tool behind a small script; at most 256
///   collect: counters and findings; trace: the spans of one call (call_trace.hpp)
///     loop-ticks        what an object with time stamps at its loops printed (loop_times.hpp)
///     torch-profiler    PyTorch's profiler, as the driver of Python candidates writes it (torch_profile.hpp)
job_reader find_job_reader(job_kind kind, std::string_view name);

/// Those of a kind.
std::vector<std::string> job_reader_names(job_kind kind);

} // namespace ke
