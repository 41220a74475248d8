#pragma once

#include "backends/evaluation/artifact_cache.hpp"
#include "backends/evaluation/backend.hpp"
#include "backends/evaluation/python_parent.hpp"
#include "backends/evaluation/truth_banks.hpp"
#include "runtime/core/job_limits.hpp"
#include "runtime/core/result.hpp"
#include "runtime/process/process_port.hpp"

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace ke {

enum class measure_plan : std::uint8_t;
struct device_info;
struct evidence;
struct problem;

struct evaluate_options {
  std::string sandbox = "best"; ///< full | best | none
  std::string device = "*";     ///< of `evaluate`: pattern of a name among this machine's devices
  bool timed = true;
  std::uint64_t seed = 1; ///< order of launches and pairs
  /// Parent of this run's private folder; empty: the system's temporary folder.
  std::filesystem::path scratch;
  std::filesystem::path cache; ///< artifact cache; empty: none
  std::uint64_t cache_bytes = 512u << 20;
  std::filesystem::path judge;  ///< empty: ke-judge beside this executable
  std::filesystem::path driver; ///< empty: ke-driver beside this executable
  job_limits limits;
  double budget_s = 0; ///< wall time for the timed part; 0: the plan's
  double aa_width = 0; ///< least width of the A/A control; each run measures its own as well
  /// Warm parents of the Python backends, shared by evaluations; empty: one for this evaluation alone.
  std::shared_ptr<python_parents> python;
  /// What references have answered, shared by evaluations but for claims; empty: each asks anew.
  std::shared_ptr<truth_banks> banks;
  bool look_closer = false; ///< profile a `rank` as closely as the other plans
  double closer_above = 0;  ///< tools of a device look at a `rank` with a higher score, too; 0: at none
  std::map<std::string, double> peaks; ///< of this machine, if the target does not announce them
  /// Where the candidate's object stays, and what compilers and profilers left and printed after the measurement:
  /// untrusted. Empty: nowhere. What the artifact cache answers leaves nothing.
  std::filesystem::path raw;
};

/// A process of one job, ready to run.
struct started_step {
  std::size_t id = 0; ///< within its evaluation
  std::string name;   ///< the manifest's
  job_kind kind = job_kind::build;
  process_spec spec;
};

/// One evaluation as a graph of jobs driven by the caller, so that an actor never blocks:
///   while (!e.complete()) { start all of e.ready(place); whenever one ends: e.ended(id, how); }
///   e.finish();
/// Jobs from one `ready` may run at the same time. `ready` and `ended` do short file work (sources, cache,
/// prechecks); the only process they start is a Python backend's warm parent, if there is none yet. The
/// private folder goes with the object. One thread at a time.
class evaluation {
public:
  /// `target` is the result of `probe_target` for `with`.
  evaluation(problem what, std::string source, backend with, device_info target, measure_plan plan,
             evaluate_options options);
  ~evaluation();
  evaluation(const evaluation&) = delete;
  evaluation& operator=(const evaluation&) = delete;

  /// Marks up to `most` startable steps of this place as running and returns them. Empty: wait for a running
  /// step or the other place. Ask only for as many as you start now.
  std::vector<started_step> ready(job_place place, std::size_t most = SIZE_MAX);
  void ended(std::size_t id, const process_exit& how);

  /// Nothing runs and nothing is left to run: the evidence is whole.
  bool complete() const;

  /// The candidate's built object on this machine, while this object lives; empty if there is none.
  std::string artifact() const;

  /// A failure: this machine could not judge. The evidence has everything about the candidate.
  result<evidence> finish();

private:
  struct state;
  std::unique_ptr<state> state_;
};

/// The whole evaluation, blocking, through `processes`. Probes the target first.
result<evidence> evaluate(const problem& what, const std::string& source, const backend& with,
                          measure_plan plan, const evaluate_options& options, process_port& processes);

/// Digest of the problem as packed; verdicts are kept under it.
std::string problem_digest_of(const problem& what);

} // namespace ke
