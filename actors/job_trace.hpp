#pragma once

#include "runtime/core/trace.hpp"
#include "runtime/core/types.hpp"

#include <cstddef>
#include <string>
#include <vector>

namespace ke {

/// The row of each hop, from 0: on one row a hop lies inside of an earlier one or behind it, as spans of a
/// trace's lane must; jobs that ran side by side get rows of their own. Pure.
std::vector<std::size_t> rows_of(const std::vector<job_hop>& hops);

/// What the trace of a campaign tells of a job that ended at `now`: how long it waited for a worker and was
/// there, its hops, and the call of the candidate that a job of kind trace saw (backends/call_trace.hpp), on
/// lanes of the node. At most `most` stretches of that call; how many that were.
std::size_t trace_job(const job& what, const std::string& worker, trace::time_point queued,
                      trace::time_point granted, trace::time_point now, const job_result& result,
                      std::size_t most);

} // namespace ke
