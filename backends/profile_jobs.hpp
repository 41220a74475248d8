#pragma once

#include "backends/job_graph.hpp"
#include "backends/profile_task.hpp"
#include "runtime/process/process_port.hpp"
#include "runtime/process/sandbox.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace ke {

/// A job of kind profile is either a tool that reads the candidate's object, or the program's own profiler
/// (command = ["{profiler}"]), which gets a task on stdin. So does that of a trace.
bool asks_profiler(const job_spec& j);

/// The tool on `object`, sandboxed: the object is a candidate's work, and so is whatever it makes of the tool
/// that reads it. None where no sandbox can be had.
std::optional<process_spec> tool_process(const job_spec& j, const std::filesystem::path& object,
                                         sandbox_level level);

/// ke-profiler, which like ke-judge is trusted and sandboxes what it starts; `programs` holds it and
/// ke-runner. None if they are not there.
std::optional<process_spec> profiler_process(const job_spec& j, const std::filesystem::path& programs,
                                             const std::filesystem::path& folder, profile_task task);

/// What an ended job of the two kinds found; none if it found nothing.
std::optional<profile_result> profile_found(const job_spec& j, const process_exit& how);

/// What the judge itself found stays.
void add_profile(const profile_result& seen, evidence& into);

} // namespace ke
