#pragma once

#include "runtime/core/types.hpp"
#include "runtime/observe/trace.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace ke {

/// The row of each span, from 0. On one row a span lies inside an earlier one or behind it, as spans of a
/// trace's lane must; spans that overlap otherwise get rows of their own. Pure.
std::vector<std::size_t> rows_of(const std::vector<job_span>& spans);

/// Traces a job that ended at `now`, on lanes of its node: wait for a worker, time there, spans, and the
/// candidate's call seen by a job of kind trace (backends/evidence/call_trace.hpp), with at most `most` spans. Returns
/// the number of these spans.
std::size_t trace_job(const job& what, const std::string& worker, trace::time_point queued,
                      trace::time_point granted, trace::time_point now, const job_result& result,
                      std::size_t most);

} // namespace ke
