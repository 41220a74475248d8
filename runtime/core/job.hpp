#pragma once

#include "runtime/core/evidence.hpp"
#include "runtime/core/fields.hpp"
#include "runtime/core/job_limits.hpp"
#include "runtime/core/node_key.hpp"
#include "runtime/core/result.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ke {

/// One evaluation of a candidate on one target. Content travels by digest; `inline_blobs` holds small texts.
struct job {
  std::uint64_t id = 0;
  std::uint32_t attempt = 0;
  std::uint64_t epoch = 0; ///< the coordinator's, fences late results
  node_key node;
  std::uint32_t target = 0;
  std::string backend;
  std::string device; ///< pattern
  std::string problem_digest;
  std::string source_digest;
  measure_plan plan = measure_plan::rank;
  bool timed = true;
  std::uint64_t seed = 0; ///< of the launch order; secret inputs come from the worker's own key
  job_limits limits;
  std::map<std::string, std::string> inline_blobs; ///< digest -> bytes
  std::int32_t priority = 0;
  std::string store;   ///< id of the store that asks
  std::string warrant; ///< the grant in the coordinator's words; the worker repeats it (fleet/warrant.hpp)
};
KE_FIELDS(job, x.id, x.attempt, x.epoch, x.node, x.target, x.backend, x.device, x.problem_digest,
          x.source_digest, x.plan, x.timed, x.seed, x.limits, x.inline_blobs, x.priority, x.store, x.warrant)

/// A part of a job's time at its worker, for the trace. Microseconds since the worker took the job: clocks of
/// two machines are never compared.
struct job_span {
  std::string name;
  std::uint64_t begin_us = 0;
  std::uint64_t us = 0;
};
KE_FIELDS(job_span, x.name, x.begin_us, x.us)

struct job_result {
  std::uint64_t id = 0;
  std::uint32_t attempt = 0;
  std::uint64_t epoch = 0;
  failure why; ///< kind none: `found` counts. Otherwise the machine failed and the job is tried elsewhere.
  evidence found;
  std::vector<job_span> spans;
  std::string store;   ///< the job's: its coordinator gets this
  std::string warrant; ///< of the answered grant
};
KE_FIELDS(job_result, x.id, x.attempt, x.epoch, x.why, x.found, x.spans, x.store, x.warrant)

} // namespace ke
