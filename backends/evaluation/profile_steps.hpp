#pragma once

#include "backends/evaluation/step_graph.hpp"
#include "backends/evidence/profile_result.hpp"
#include "runtime/core/result.hpp"
#include "runtime/process/process_port.hpp"
#include "runtime/process/sandbox.hpp"

#include <filesystem>
#include <optional>
#include <string>

namespace ke {

struct backend;
struct evidence;
struct machine_file;
struct profile_task;

/// Whether the job uses the program's own profiler (command = ["{profiler}"]), which gets a task on stdin.
/// Other jobs of kind profile run a tool that reads the candidate's object. A trace may use the profiler,
/// too.
bool asks_profiler(const step_spec& j);

/// Whether the profiler calls the candidate under a vendor's tool (command = ["{profiler}", "under", TOOL...]), whose
/// words `reads` is the format of.
bool runs_tool(const step_spec& j);
/// Whether that tool looks for faults of a finalist (command = ["{profiler}", "check", TOOL...]): what it finds, and does
/// not find in the reference, makes the finalist a wrong one.
bool checks_finalist(const step_spec& j);

/// Whether a file is of use on a machine without a device: not if only such a job needs it.
bool is_for_devices(const machine_file& file, const backend& with);

/// The tool on `object`, sandboxed: object and tool output are a candidate's work. None without a sandbox, or
/// without a file of the machine that the backend needs.
std::optional<process_spec> tool_process(const step_spec& j, const backend& with,
                                         const std::filesystem::path& object, sandbox_level level);

/// ke-profiler: trusted, as ke-judge is; sandboxes what it starts. `programs` holds it and ke-runner; none if
/// they are missing, or a file of the machine that the backend needs.
std::optional<process_spec> profiler_process(const step_spec& j, const backend& with,
                                             const std::filesystem::path& programs,
                                             const std::filesystem::path& folder, profile_task task);

/// The findings of an ended job of the two kinds; none: nothing.
std::optional<profile_result> profile_found(const step_spec& j, const process_exit& how);

/// Adds findings; never replaces the judge's own.
void add_profile(const profile_result& seen, evidence& into);

} // namespace ke
