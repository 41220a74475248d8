#pragma once

#include "runtime/observe/trace.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace ke {

struct job;
struct job_result;
struct job_span;

/// The row of each span, from 0. On one row each span lies inside an earlier one or behind it, as a trace's
/// lane demands. Spans that overlap otherwise get rows of their own. Pure.
std::vector<std::size_t> rows_of(const std::vector<job_span>& spans);

/// Traces a job that ended at `now`, on lanes of its node: the wait for a worker, the time there, its spans,
/// and at most `most` spans of the candidate's traced call (call_trace.hpp). Returns the number of the call's
/// spans.
std::size_t trace_job(const job& what, const std::string& worker, trace::time_point queued,
                      trace::time_point granted, trace::time_point now, const job_result& result,
                      std::size_t most);

} // namespace ke
