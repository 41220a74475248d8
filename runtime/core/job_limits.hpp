#pragma once

#include "runtime/core/fields.hpp"

#include <cstdint>

namespace ke {

/// Limits that the worker enforces on one job.
struct job_limits {
  double build_s = 60;
  double run_s = 60;  ///< the whole measurement
  double call_s = 10; ///< one call of the candidate
  std::uint64_t memory_bytes = 4ull << 30;
  std::uint64_t scratch_bytes = 64ull << 20;
  std::uint64_t log_bytes = 1ull << 20;
  std::uint32_t processes = 64;
  std::uint32_t descriptors = 64; ///< open at once in each process of a candidate
  std::uint64_t inodes = 4096;    ///< files in each of its two memory file systems
};
KE_FIELDS(job_limits, x.build_s, x.run_s, x.call_s, x.memory_bytes, x.scratch_bytes, x.log_bytes, x.processes,
          x.descriptors, x.inodes)

} // namespace ke
