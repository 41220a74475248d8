#pragma once

#include "backends/evaluation/step_graph.hpp"

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ke {

// What a job of a manifest must say, by its kind, and what flows from one to the next. Pure.
//
//   transform  command: {input} is what the transform that it needs left, else the candidate's text;
//              {output}; {include}, {fast_math}, {profiler}. output: the name of the file that it makes
//   build      role candidate, reference, truth: by the backend's [build]. Role instrumented: command with
//              {sources} (what the transform that it needs left, and the harness) and {output}
//   measure    the judge
//   profile    command: {object} is the candidate's, {file:NAME} one of the machine's; or {profiler} alone; or
//              {profiler} under and a tool's words, {metrics} being what `reads` wants to know. reads
//   trace      command {profiler} trace: one call of the instrumented object that it needs. Without one:
//              what the measure or trace job that it needs left. reads
//   collect    what the measure or trace job that it needs left. reads
//
// Transforms, instrumented builds, traces and collections follow the measurement, for correct candidates
// only. They never change a verdict's state.

/// Whether it is one of these.
bool looks_closer(const step_spec& j);
/// Whether it is one of these or a profile, which also looks at crashed candidates.
bool comes_after(const step_spec& j);

/// The job whose product this one reads; none: it reads the candidate's text or object, or nothing.
std::optional<std::size_t> producer_of(const std::vector<step_spec>& jobs, std::size_t job);

/// The fault in a job's declaration, as the rest of a sentence that begins with its name; empty: none.
std::string validate(const step_spec& j);

/// The same for jobs that need the wrong ones, with the index of the first. `jobs` make a graph.
std::optional<std::pair<std::size_t, std::string>> validate_flow(const std::vector<step_spec>& jobs);

} // namespace ke
