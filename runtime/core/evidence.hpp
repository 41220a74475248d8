#pragma once

#include "runtime/core/evidence_summary.hpp"
#include "runtime/core/fields.hpp"
#include "runtime/core/names.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ke {

/// How the candidate's process (or its build) ended, as the judge or the builder saw it.
enum class ending : std::uint8_t {
  finished,
  build_failed,
  crashed,
  timeout,
  resource_exceeded,
  policy_violation,
  harness_error
};
KE_NAMES(ending, 7, "finished", "build_failed", "crashed", "timeout", "resource_exceeded", "policy_violation",
         "harness_error")

/// Interleaved samples of one process launch on one workload: nanoseconds of baseline and candidate, pair by
/// pair.
struct launch_samples {
  std::uint32_t workload = 0; ///< index into problem.workloads
  std::vector<double> reference_ns;
  std::vector<double> candidate_ns;
};
KE_FIELDS(launch_samples, x.workload, x.reference_ns, x.candidate_ns)

/// What the judge saw: facts and samples, no state. Only `verdict_of(evidence)` derives one.
struct evidence : evidence_summary {
  ke::ending ending = ke::ending::finished;
  std::string reason;            ///< one line: compiler's first error, signal, limit
  bool nondeterministic = false; ///< right and wrong on the same input
  bool timed = true;             ///< false: timing was not asked for
  std::vector<launch_samples> launches;
  double floor_ns = 0;        ///< empty call through the same path
  double aa_width = 0;        ///< baseline against itself on this device: half-width of its interval
  bool compiled_only = false; ///< built; nothing here can run it
  std::string unfit;          ///< why the problem's own check is worthless; empty: it is not
  std::map<std::string, double> counters;
  /// Words of profilers and compilers, by source ("vectorizer", "hot_loop", "sanitizer"); untrusted where
  /// they quote the candidate.
  std::map<std::string, std::string> findings;
  /// What tools printed, by file name ("kernel.asm", "callgrind.txt"), within the bounds of
  /// backends/evidence/artifact_texts.hpp: of claims and of each new best of a search. A candidate's words.
  std::map<std::string, std::string> artifacts;
};
KE_FIELDS(evidence, x.ending, x.reason, x.cases, x.timed_calls, x.timed_calls_checked, x.failed,
          x.worst_scaled_error, x.first_failure, x.nondeterministic, x.flags, x.timed, x.launches, x.floor_ns,
          x.aa_width, x.compiled_only, x.unfit, x.counters, x.build_s, x.check_s, x.time_s, x.device,
          x.provenance, x.log, x.findings, x.artifacts)
KE_OPTIONAL_TAIL(evidence, 1)

} // namespace ke
