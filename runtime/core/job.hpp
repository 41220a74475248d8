#pragma once

#include "runtime/core/fields.hpp"
#include "runtime/core/job_limits.hpp"
#include "runtime/core/measure_plan.hpp"
#include "runtime/core/node_key.hpp"

#include <cstdint>
#include <map>
#include <string>

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
  /// Of a rank: a score beyond this is looked at by tools that a search has no time for otherwise. 0: none is.
  double closer_above = 0;
};
KE_FIELDS(job, x.id, x.attempt, x.epoch, x.node, x.target, x.backend, x.device, x.problem_digest,
          x.source_digest, x.plan, x.timed, x.seed, x.limits, x.inline_blobs, x.priority, x.store, x.warrant,
          x.closer_above)

} // namespace ke
