#pragma once

#include "runtime/core/evidence_summary.hpp"
#include "runtime/core/fields.hpp"
#include "runtime/core/timing_decision.hpp"
#include "runtime/core/verdict_state.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ke {

/// Says nothing about the candidate: the evaluation failed, or the machine was too loud.
constexpr bool says_nothing(verdict_state s) {
  return s == verdict_state::harness_error || s == verdict_state::noisy;
}
/// May stand for the same candidate at another place, unmeasured: it says something, and not how busy the
/// machine was.
constexpr bool holds_elsewhere(verdict_state s) {
  return !says_nothing(s) && s != verdict_state::timeout;
}

struct workload_timing {
  std::string name;
  double speedup = 0;
  double low = 0, high = 0; ///< 95% interval
  bool held_out = false;    ///< shown only: the summary's figures leave it out
  double candidate_ns = 0;  ///< median of a call
  double reference_ns = 0;
  double candidate_mj = 0, reference_mj = 0; ///< energy of the device for a call, mJ; 0: not measured
};
KE_FIELDS(workload_timing, x.name, x.speedup, x.low, x.high, x.held_out, x.candidate_ns, x.reference_ns,
          x.candidate_mj, x.reference_mj)
KE_OPTIONAL_TAIL(workload_timing, 2)

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

/// Of diagnosis::evidence: the tools that found nothing, and why.
inline constexpr const char* diagnosis_lacks = "without";

struct diagnosis {
  std::string bottleneck; ///< memory | compute | latency | occupancy | frontend | overhead
  double confidence = 0;
  std::optional<double> roofline_fraction;
  std::map<std::string, std::string> evidence;
  std::string
      cause; ///< what in the kernel makes it so: an open list (backends/verdict/diagnosis.hpp); empty: not known
};
KE_FIELDS(diagnosis, x.bottleneck, x.confidence, x.roofline_fraction, x.evidence, x.cause)

/// What the evidence means. The state is derived; the rest of the evidence's summary stands as the judge saw it.
struct verdict : evidence_summary {
  verdict_state state = verdict_state::harness_error;
  timing_decision decision = timing_decision::none;
  std::string reason;
  std::optional<double> score;
  std::string backend;
  std::string problem;   ///< digest
  std::string candidate; ///< digest
  std::optional<timing_summary> timing;
  std::optional<ke::diagnosis> diagnosis;
};
KE_FIELDS(verdict, x.state, x.decision, x.reason, x.score, x.backend, x.device, x.problem, x.candidate,
          x.cases, x.timed_calls, x.timed_calls_checked, x.failed, x.worst_scaled_error, x.first_failure,
          x.flags, x.timing, x.diagnosis, x.build_s, x.check_s, x.time_s, x.provenance, x.log)

} // namespace ke
