#pragma once

#include "backends/artifact_cache.hpp"
#include "backends/backend.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/result.hpp"
#include "runtime/core/types.hpp"
#include "runtime/core/verdict.hpp"
#include "runtime/process/process_port.hpp"

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace ke {

struct evaluate_options {
  std::string sandbox = "best"; ///< full | best | none
  bool timed = true;
  std::uint64_t seed = 1; ///< order of launches and pairs
  std::filesystem::path
      scratch;                 ///< parent of this run's private folder; empty: the system's temporary folder
  std::filesystem::path cache; ///< artifact cache; empty: none
  std::uint64_t cache_bytes = 512u << 20;
  std::filesystem::path judge;  ///< empty: ke-judge beside this executable
  std::filesystem::path driver; ///< empty: ke-driver beside this executable
  job_limits limits;
  double budget_s = 0; ///< wall time for the timed part; 0: the plan's
  double aa_width = 0; ///< of this device, if known
  std::map<std::string, double> peaks; ///< of this machine, where the target does not announce them
};

/// One evaluation as steps that a caller drives, so that an actor never blocks:
///   while (auto spec = e.next()) e.ended(run(*spec));  then e.finish().
/// `next` and `ended` do short file work (sources, cache) and start nothing themselves. The private folder
/// goes with the object. One thread at a time.
class evaluation {
public:
  /// `target` is what `probe_target` said of `with`.
  evaluation(problem what, std::string source, backend with, device_info target, measure_plan plan,
             evaluate_options options);
  ~evaluation();
  evaluation(const evaluation&) = delete;
  evaluation& operator=(const evaluation&) = delete;

  /// The next process to run, or none when the evidence is complete.
  std::optional<process_spec> next();
  void ended(const process_exit& exit);

  /// "building" or "measuring", for progress.
  std::string phase() const;

  /// The candidate's built object on this machine, while this object lives; empty if there is none.
  std::string artifact() const;

  /// A failure means that this machine could not judge; anything about the candidate is in the evidence.
  result<evidence> finish();

private:
  struct state;
  std::unique_ptr<state> state_;
};

/// The whole of it, blocking, through `processes`. Probes the target first.
result<evidence> evaluate(const problem& what, const std::string& source, const backend& with,
                          measure_plan plan, const evaluate_options& options, process_port& processes);

/// Digests under which verdicts are kept: of the problem as packed, and of the source text.
std::string problem_digest_of(const problem& what);

} // namespace ke
