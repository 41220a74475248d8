#pragma once

#include "runtime/core/evidence.hpp"
#include "runtime/core/fields.hpp"
#include "runtime/core/result.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace ke {

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
