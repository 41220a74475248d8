#pragma once

#include "backends/evaluation/step_graph.hpp"
#include "backends/evidence/profile_result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace ke {

/// Makes additions to the evidence from a text that a job printed or left. The text is untrusted: a reader is
/// bounded, and never fails but finds less. Pure.
using job_reader = profile_result (*)(std::string_view text);

/// The reader for a format named by a backend.toml ([[job]] reads = "..."); null if no job of this kind reads
/// it.
///   profile: counters
///     assembler-words   NVIDIA's assembler on each kernel (assembler_words.hpp)
///     instruction-mix   `objdump -d` of a built object (instruction_mix.hpp)
///     name-value        lines of a name and a number, with blanks, "=", ":" or "," between them, for a vendor's
///                       tool; at most 256
///     compute-sanitizer NVIDIA's, on a call that crashed (device_sanitizer.hpp)
///     listing           nothing: it is for people, and kept as an artifact (artifact_texts.hpp)
///     ncu-csv           NVIDIA's Nsight Compute on the kernels of a call (ncu_report.hpp)
///     sass-mix          `cuobjdump -sass` (sass_mix.hpp)
///     static-metrics    lines `static.sm_90.KERNEL.registers = number` of a compiler (static_metrics.hpp)
///   collect: counters and findings; trace: the spans of one call (call_trace.hpp)
///     loop-ticks        printed by an object with time stamps at its loops (loop_times.hpp)
///     torch-profiler    PyTorch's profiler, as written by the Python candidates' driver (torch_profile.hpp)
job_reader find_job_reader(job_kind kind, std::string_view name);

/// Whether it is a format of what a tool says about crashes: its job is for candidates that have crashed, other tools'
/// for those that were right.
bool reads_crashes(std::string_view name);

/// Whether nothing reads such a text but people: its job is for candidates whose artifacts are kept.
bool is_for_people(std::string_view name);

/// {metrics} of a command whose text is of this format: what the tool must be asked for, with commas between; empty:
/// the format asks for nothing.
std::string metrics_for(std::string_view name);

/// The names for a kind.
std::vector<std::string> job_reader_names(job_kind kind);

} // namespace ke
