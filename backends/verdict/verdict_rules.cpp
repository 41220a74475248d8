#include "backends/verdict/verdict_rules.hpp"

#include "backends/verdict/diagnosis.hpp"
#include "backends/verdict/static_figures.hpp"
#include "backends/verdict/statistics.hpp"
#include "runtime/core/evidence_keys.hpp"
#include "runtime/core/measure_plan.hpp"
#include "runtime/core/reward.hpp"
#include "runtime/core/verdict_state.hpp"
#include "runtime/text/json_line.hpp"

#include <nlohmann/json.hpp>

#include <cmath>

namespace ke {
namespace {

std::string provenance_of(const evidence& e, const char* key) {
  auto at = e.provenance.find(key);
  return at == e.provenance.end() ? std::string{} : at->second;
}

const integrity_flag* policy_flag(const evidence& e) {
  for (const auto& f : e.flags)
    if (f.name.starts_with("policy_"))
      return &f;
  return nullptr;
}

/// Writing beside an output is a wrong kernel's commonest fault, so it makes a result wrong but nobody a
/// suspect.
const integrity_flag* suspicion(const evidence& e) {
  for (const auto& f : e.flags)
    if (f.name != "red_zone")
      return &f;
  return nullptr;
}

std::string place_of(const mismatch& m) {
  std::string at;
  for (auto i : m.index)
    at += (at.empty() ? "" : ", ") + std::to_string(i);
  bool usual = m.distribution.empty() || m.distribution == "init";
  return m.tensor + "[" + at + "] of workload " + m.workload + (usual ? "" : ", inputs: " + m.distribution);
}

/// What is known without running it.
std::string compiled_reason(const evidence& e) {
  auto figures = static_summary(e.counters);
  return e.reason + (figures.empty() ? "" : "; ") + figures;
}

/// What a tool's check of a finalist has found, with its name; empty: nothing.
std::string fault_of_finalist(const evidence& e) {
  for (const auto& [name, text] : e.findings)
    if (name.starts_with(finding_keys::check_of))
      return name.substr(std::string_view{finding_keys::check_of}.size()) + ": " + text;
  return {};
}

/// Of results, or found by a tool; empty: nothing.
std::string what_is_wrong(const evidence& e) {
  if (e.failed <= 0 && !e.first_failure)
    return fault_of_finalist(e);
  if (!e.reason.empty())
    return e.reason;
  return e.first_failure ? "wrong value at " + place_of(*e.first_failure) : "wrong value";
}

/// Of a correct one that was timed.
void decide_by_time(verdict& v, const evidence& e, const problem& what, measure_plan plan) {
  auto is = [&](verdict_state s, std::string reason) {
    v.state = s;
    v.reason = std::move(reason);
  };
  auto counted = [&](const char* key) {
    auto at = e.counters.find(key);
    return at == e.counters.end() ? 0.0 : at->second;
  };
  machine_noise noise{counted(device_facts::gate_loud) > 0,
                      static_cast<std::int64_t>(counted(counter_keys::gate_discarded)),
                      {counted(counter_keys::spread_launch), counted(counter_keys::spread_run)}};
  auto timing = compare(e.launches, what, plan, e.aa_width, e.floor_ns, noise);
  if (!timing.valid)
    return is(verdict_state::harness_error, "the timing samples are incomplete or not times");
  v.timing = timing.summary;
  for (auto& w : v.timing->workloads) {
    w.candidate_mj = counted((counter_keys::energy_mj_of + ("candidate." + w.name)).c_str());
    w.reference_mj = counted((counter_keys::energy_mj_of + ("reference." + w.name)).c_str());
  }
  if (timing.decision == timing_decision::none) {
    bool wide = e.aa_width > aa_limit;
    return is(
        verdict_state::noisy,
        timing.too_short
            ? "a call takes no longer than the way to the candidate and back; time a larger workload"
        : wide ? "the baseline against itself varies by more than 25% on this device"
        : noise.loud
            ? "the interval of the speedup decides nothing on a machine that others keep busy; measure again"
            : "the interval of the speedup decides nothing; measure again");
  }
  v.decision = timing.decision;
  v.score = timing.summary.low;
  is(verdict_state::correct, e.reason);
}

/// Names a state and its reason: the precedence of trust.md 3, first match wins.
void decide(verdict& v, const evidence& e, const problem& what, measure_plan plan) {
  auto is = [&](verdict_state s, std::string reason) {
    v.state = s;
    v.reason = std::move(reason);
  };
  if (!e.unfit.empty())
    return is(verdict_state::unfit_problem, e.unfit);
  if (e.ending == ending::harness_error)
    return is(verdict_state::harness_error, e.reason);
  if (e.ending == ending::build_failed)
    return is(verdict_state::build_failed, e.reason);
  const auto* forbidden = policy_flag(e);
  if (e.ending == ending::policy_violation || forbidden)
    return is(verdict_state::policy_violation,
              e.reason.empty() && forbidden ? forbidden->evidence : e.reason);
  if (const auto* f = suspicion(e))
    return is(verdict_state::cheating_suspected, f->name + ": " + f->evidence);
  if (e.ending == ending::crashed) {
    auto said = e.findings.find(finding_keys::sanitizer); // the failing case again, with checks compiled in
    return is(verdict_state::crashed, e.reason + (said == e.findings.end() ? "" : "; " + said->second));
  }
  if (bool late = e.ending == ending::timeout; late || e.ending == ending::resource_exceeded)
    return is(late ? verdict_state::timeout : verdict_state::resource_exceeded, e.reason);
  if (e.nondeterministic)
    return is(verdict_state::nondeterministic,
              e.reason.empty() ? "right and wrong on the same input" : e.reason);
  if (auto wrong = what_is_wrong(e); !wrong.empty())
    return is(verdict_state::incorrect, std::move(wrong));
  if (e.compiled_only)
    return is(verdict_state::compiled, compiled_reason(e));
  if (e.cases <= 0 || e.timed_calls_checked != e.timed_calls)
    return is(verdict_state::harness_error,
              e.cases <= 0 ? "the judge checked no call" : "a timed call was not checked");
  if (!e.timed)
    return is(verdict_state::correct, e.reason);
  decide_by_time(v, e, what, plan);
}

nlohmann::json number(double x) {
  return std::isfinite(x) ? nlohmann::json(x) : nlohmann::json(nullptr);
}

/// Seconds: of the build, of checks and of timing in all; what stages took of these, and what first calls took beyond usual ones.
nlohmann::ordered_json cost_json(const verdict& v, const std::map<std::string, double>& counters) {
  nlohmann::ordered_json out = {
      {"build_s", number(v.build_s)}, {"check_s", number(v.check_s)}, {"time_s", number(v.time_s)}};
  for (const auto& [stage, s] : counters_below(counters, counter_keys::stage_s_of))
    out["stages_s"][stage] = number(s);
  if (auto first = counters.find(counter_keys::first_calls_s); first != counters.end())
    out["first_calls_s"] = number(first->second);
  return out;
}

/// What the machine did meanwhile: the gate's readings, and its fixed kernels before and after, in ns.
nlohmann::ordered_json machine_json(const std::map<std::string, double>& counters) {
  nlohmann::ordered_json out;
  for (const auto& [name, value] : counters_below(counters, counter_keys::gate_of))
    out[name] = number(value);
  for (const auto* when : {counter_keys::sentinel_before_of, counter_keys::sentinel_after_of})
    for (const auto& [kernel, ns] : counters_below(counters, when))
      out["sentinel"][kernel].emplace_back(number(ns));
  return out;
}

nlohmann::json timing_json(const timing_summary& t, const std::string& baseline) {
  auto workloads = nlohmann::json::array();
  for (const auto& w : t.workloads) {
    workloads.push_back({{"name", w.name},
                         {"held_out", w.held_out},
                         {"speedup", number(w.speedup)},
                         {"ci95", {number(w.low), number(w.high)}},
                         {"candidate_ns", number(w.candidate_ns)},
                         {"reference_ns", number(w.reference_ns)}});
    for (auto [name, mj] : {std::pair{"candidate_mj", w.candidate_mj}, {"reference_mj", w.reference_mj}})
      if (mj > 0)
        workloads.back()[name] = number(mj);
  }
  return {{"speedup", number(t.speedup)},
          {"ci95", {number(t.low), number(t.high)}},
          {"pairs", t.pairs},
          {"launches", t.launches},
          {"candidate_ns", number(t.candidate_ns)},
          {"reference_ns", number(t.reference_ns)},
          {"floor_ns", number(t.floor_ns)},
          {"aa_width", number(t.aa_width)},
          {"baseline", baseline},
          {"workloads", workloads},
          {"mean_speedup", number(t.mean_speedup)},
          {"best_ns", number(t.best_ns)},
          {"mad_ns", number(t.mad_ns)},
          {"discarded", t.discarded}};
}

nlohmann::json mismatch_json(const mismatch& m) {
  return {{"workload", m.workload}, {"tensor", m.tensor},
          {"index", m.index},       {"expected", number(m.expected)},
          {"got", number(m.got)},   {"bound", number(m.bound)},
          {"call", m.call},         {"distribution", m.distribution}};
}

} // namespace

verdict verdict_of(const evidence& e, const problem& what, measure_plan plan) {
  verdict v;
  v.backend = provenance_of(e, provenance_keys::backend);
  v.problem = provenance_of(e, provenance_keys::problem);
  v.candidate = provenance_of(e, provenance_keys::candidate);
  static_cast<evidence_summary&>(v) = e;
  decide(v, e, what, plan);
  if ((v.state == verdict_state::correct || v.state == verdict_state::noisy) && e.timed)
    if (auto d = diagnose(e, what); !d.bottleneck.empty())
      v.diagnosis = std::move(d);
  if (v.state == verdict_state::crashed || !fault_of_finalist(e).empty())
    if (auto report = e.findings.find(finding_keys::sanitizer_report); report != e.findings.end())
      v.log += (v.log.empty() || v.log.back() == '\n' ? "" : "\n") + report->second;
  switch (v.state) {
  case verdict_state::correct: // an untimed run has neither score nor decision
  case verdict_state::noisy:
  case verdict_state::unfit_problem:
  case verdict_state::harness_error:
  case verdict_state::compiled:
    break;
  default:
    v.score = 0;
  }
  return v;
}

std::string compared_with(const verdict& v) {
  auto name = v.provenance.find(provenance_keys::baseline);
  return name == v.provenance.end() ? "reference" : name->second;
}

std::string verdict_json(const verdict& v, const std::map<std::string, double>& counters) {
  nlohmann::ordered_json out;
  out["state"] = to_text(v.state);
  out["decision"] =
      v.decision == timing_decision::none ? nlohmann::json(nullptr) : nlohmann::json(to_text(v.decision));
  out["reason"] = v.reason;
  out["score"] = v.score ? number(*v.score) : nlohmann::json(nullptr);
  out["backend"] = v.backend;
  out["device"] = v.device;
  out["problem"] = v.problem;
  out["candidate"] = v.candidate;
  out["correctness"] = {
      {"cases", v.cases},
      {"timed_calls", v.timed_calls},
      {"timed_calls_checked", v.timed_calls_checked},
      {"failed", v.failed},
      {"worst_scaled_error", number(v.worst_scaled_error)},
      {"first_failure", v.first_failure ? mismatch_json(*v.first_failure) : nlohmann::json(nullptr)}};
  auto flags = nlohmann::json::array();
  for (const auto& f : v.flags)
    flags.push_back({{"name", f.name}, {"evidence", f.evidence}});
  out["integrity"] = {{"flags", flags}};
  out["timing"] = v.timing ? timing_json(*v.timing, compared_with(v)) : nlohmann::json(nullptr);
  if (auto calls = counters_below(counters, counter_keys::calls_per_order_of); v.timing && !calls.empty())
    out["timing"]["calls_per_order"] = calls;
  if (v.diagnosis) {
    const auto& d = *v.diagnosis;
    out["diagnosis"] = {
        {"bottleneck", d.bottleneck},
        {"cause", d.cause.empty() ? nlohmann::json(nullptr) : nlohmann::json(d.cause)},
        {"confidence", number(d.confidence)},
        {"roofline_fraction", d.roofline_fraction ? number(*d.roofline_fraction) : nlohmann::json(nullptr)},
        {"evidence", d.evidence}};
  } else {
    out["diagnosis"] = nullptr;
  }
  out["cost"] = cost_json(v, counters);
  if (auto machine = machine_json(counters); v.timing && !machine.is_null())
    out["machine"] = machine;
  if (auto figures = static_figures(counters); !figures.empty())
    out["metrics"] = figures;
  out["provenance"] = v.provenance;
  out["log"] = v.log;
  auto r = reward(v); // for learners: docs/manual/trajectories.md
  out["reward"] = r.defined ? number(r.value) : nlohmann::json(nullptr);
  out["reward_ci95"] = r.defined ? nlohmann::json{number(r.value), number(r.high)} : nlohmann::json(nullptr);
  // Logs are a candidate's bytes: what is not UTF-8 is replaced, never thrown at the reader.
  return json_line(out);
}

} // namespace ke
