#pragma once

#include "runtime/core/fields.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ke {

/// The first wrong element: enough to reproduce it.
struct mismatch {
  std::string workload;
  std::string tensor;
  std::vector<std::int64_t> index;
  double expected = 0;
  double got = 0;
  double bound = 0; ///< largest |expected - got| that would have passed
  std::int64_t call = 0;
  std::string distribution;
};
KE_FIELDS(mismatch, x.workload, x.tensor, x.index, x.expected, x.got, x.bound, x.call, x.distribution)

/// A fact about integrity, never a verdict: a name (clock_mismatch, gap_cpu_time, inputs_changed, red_zone,
/// below_floor...) and proof.
struct integrity_flag {
  std::string name;
  std::string evidence;
};
KE_FIELDS(integrity_flag, x.name, x.evidence)

/// The part of the evidence that its verdict keeps as it stands. Evidence and verdict are such a summary and
/// more; each packs its own order of members.
struct evidence_summary {
  std::int64_t cases = 0; ///< untimed correctness calls checked
  std::int64_t timed_calls = 0;
  std::int64_t timed_calls_checked = 0;
  std::int64_t failed = 0;       ///< calls with a wrong element
  double worst_scaled_error = 0; ///< error over its bound, worst element; < 1 passes
  std::optional<mismatch> first_failure;
  std::vector<integrity_flag> flags;
  double build_s = 0, check_s = 0, time_s = 0;
  std::string device;
  std::map<std::string, std::string> provenance; ///< digests, flags, versions, environment id, sandbox level
  std::string log;                               ///< bounded text of compiler and candidate; untrusted
};

} // namespace ke
