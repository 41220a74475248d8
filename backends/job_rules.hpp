#pragma once

#include "backends/job_graph.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ke {

// What a job of a manifest must say, by its kind, and what flows from one to the next. Pure.
//
//   transform  command: {input} is what the transform that it needs left, else the candidate's text;
//   {output};
//              {include}, {fast_math}, {profiler}. output: the name of the file that it makes
//   build      role candidate, reference, truth: by the backend's [build]. Role instrumented: command with
//              {sources} (what the transform that it needs left, and the harness) and {output}
//   measure    the judge
//   profile    command: {object} is the candidate's; or {profiler} alone. reads
//   trace      command {profiler} trace: one call of the instrumented object that it needs. Without one:
//              what the measure or trace job that it needs left. reads
//   collect    what the measure or trace job that it needs left. reads
//
// Transforms, instrumented builds, traces and collections come after the measurement: they are for candidates
// that were found right, and nothing that they do changes a verdict's state.

/// One of those.
bool looks_closer(const job_spec& j);
/// One of those, or a profile, which looks at crashed candidates as well.
bool comes_after(const job_spec& j);

/// The job whose product this one takes in; none: the candidate's text or object, or nothing.
std::optional<std::size_t> giver_of(const std::vector<job_spec>& jobs, std::size_t job);

/// Why a job can't be run as it is declared, as the rest of a sentence that begins with its name; empty: it
/// can.
std::string complaint_about(const job_spec& j);

/// The same of jobs that need the wrong ones, with the first such job's index. `jobs` make a graph.
std::optional<std::pair<std::size_t, std::string>> complaint_about_flow(const std::vector<job_spec>& jobs);

} // namespace ke
