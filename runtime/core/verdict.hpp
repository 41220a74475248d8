#pragma once

#include "runtime/core/fields.hpp"
#include "runtime/core/names.hpp"

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ke {

/// product.md "Verdict", in the order of that list; not by precedence.
enum class verdict_state : std::uint8_t {
  correct,
  incorrect,
  nondeterministic,
  build_failed,
  crashed,
  timeout,
  resource_exceeded,
  policy_violation,
  cheating_suspected,
  noisy,
  unfit_problem,
  harness_error,
  compiled,
};
KE_NAMES(verdict_state, 13, "correct", "incorrect", "nondeterministic", "build_failed", "crashed", "timeout",
         "resource_exceeded", "policy_violation", "cheating_suspected", "noisy", "unfit_problem",
         "harness_error", "compiled")

/// Says nothing about the candidate: the evaluation failed, or the machine was too loud.
constexpr bool says_nothing(verdict_state s) {
  return s == verdict_state::harness_error || s == verdict_state::noisy;
}
/// May stand for the same candidate at another place, unmeasured: it says something, and not how busy the
/// machine was.
constexpr bool holds_elsewhere(verdict_state s) {
  return !says_nothing(s) && s != verdict_state::timeout;
}

enum class timing_decision : std::uint8_t { none, faster, same, slower };
KE_NAMES(timing_decision, 4, "", "faster", "same", "slower")

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

/// Interleaved samples of one process launch on one workload: nanoseconds of baseline and candidate, pair by
/// pair.
struct launch_samples {
  std::uint32_t workload = 0; ///< index into problem.workloads
  std::vector<double> reference_ns;
  std::vector<double> candidate_ns;
};
KE_FIELDS(launch_samples, x.workload, x.reference_ns, x.candidate_ns)

/// What the judge saw: facts and samples, no state. Only `verdict_of(evidence)` derives one.
struct evidence {
  ke::ending ending = ke::ending::finished;
  std::string reason;     ///< one line: compiler's first error, signal, limit
  std::int64_t cases = 0; ///< untimed correctness calls checked
  std::int64_t timed_calls = 0;
  std::int64_t timed_calls_checked = 0;
  std::int64_t failed = 0;       ///< calls with a wrong element
  double worst_scaled_error = 0; ///< error over its bound, worst element; < 1 passes
  std::optional<mismatch> first_failure;
  bool nondeterministic = false; ///< right and wrong on the same input
  std::vector<integrity_flag> flags;
  bool timed = true; ///< false: timing was not asked for
  std::vector<launch_samples> launches;
  double floor_ns = 0;        ///< empty call through the same path
  double aa_width = 0;        ///< baseline against itself on this device: half-width of its interval
  bool compiled_only = false; ///< built; nothing here can run it
  std::string unfit;          ///< why the problem's own check is worthless; empty: it is not
  std::map<std::string, double> counters;
  double build_s = 0, check_s = 0, time_s = 0;
  std::string device;
  std::map<std::string, std::string> provenance; ///< digests, flags, versions, environment id, sandbox level
  std::string log;                               ///< bounded text of compiler and candidate; untrusted
  /// Words of profilers and compilers, by source ("vectorizer", "hot_loop", "sanitizer"); untrusted where
  /// they quote the candidate.
  std::map<std::string, std::string> findings;
};
KE_FIELDS(evidence, x.ending, x.reason, x.cases, x.timed_calls, x.timed_calls_checked, x.failed,
          x.worst_scaled_error, x.first_failure, x.nondeterministic, x.flags, x.timed, x.launches, x.floor_ns,
          x.aa_width, x.compiled_only, x.unfit, x.counters, x.build_s, x.check_s, x.time_s, x.device,
          x.provenance, x.log, x.findings)

struct workload_timing {
  std::string name;
  double speedup = 0;
  double low = 0, high = 0; ///< 95% interval
  bool held_out = false;    ///< shown only: the summary's figures leave it out
  double candidate_ns = 0;  ///< median of a call
  double reference_ns = 0;
};
KE_FIELDS(workload_timing, x.name, x.speedup, x.low, x.high, x.held_out, x.candidate_ns, x.reference_ns)

/// The summary's own figures leave held-out workloads out, as the goal does; these stand in `workloads`
/// alone.
struct timing_summary {
  double speedup = 0; ///< weighted geometric mean over workloads of baseline / candidate
  double low = 0, high = 0;
  std::int64_t pairs = 0;
  std::int64_t launches = 0;
  double candidate_ns = 0; ///< median of a call on the first workload
  double reference_ns = 0;
  double floor_ns = 0;
  double aa_width = 0;
  std::vector<workload_timing> workloads;
  double mean_speedup = 0; ///< of the mean times: far below `speedup` where few calls cost most of the time
  double best_ns = 0;      ///< the candidate's fastest sample on the first workload
  double mad_ns = 0;       ///< of the candidate's samples there: median distance from their median
  std::int64_t discarded = 0; ///< pairs left out, by rules that do not look at the time
};
KE_FIELDS(timing_summary, x.speedup, x.low, x.high, x.pairs, x.launches, x.candidate_ns, x.reference_ns,
          x.floor_ns, x.aa_width, x.workloads, x.mean_speedup, x.best_ns, x.mad_ns, x.discarded)

struct diagnosis {
  std::string bottleneck; ///< memory | compute | latency | occupancy | frontend | overhead
  double confidence = 0;
  std::optional<double> roofline_fraction;
  std::map<std::string, std::string> evidence;
};
KE_FIELDS(diagnosis, x.bottleneck, x.confidence, x.roofline_fraction, x.evidence)

struct verdict {
  verdict_state state = verdict_state::harness_error;
  timing_decision decision = timing_decision::none;
  std::string reason;
  std::optional<double> score;
  std::string backend;
  std::string device;
  std::string problem;   ///< digest
  std::string candidate; ///< digest
  std::int64_t cases = 0, timed_calls = 0, timed_calls_checked = 0, failed = 0;
  double worst_scaled_error = 0;
  std::optional<mismatch> first_failure;
  std::vector<integrity_flag> flags;
  std::optional<timing_summary> timing;
  std::optional<ke::diagnosis> diagnosis;
  double build_s = 0, check_s = 0, time_s = 0;
  std::map<std::string, std::string> provenance;
  std::string log;
};
KE_FIELDS(verdict, x.state, x.decision, x.reason, x.score, x.backend, x.device, x.problem, x.candidate,
          x.cases, x.timed_calls, x.timed_calls_checked, x.failed, x.worst_scaled_error, x.first_failure,
          x.flags, x.timing, x.diagnosis, x.build_s, x.check_s, x.time_s, x.provenance, x.log)

} // namespace ke
