#pragma once

#include "runtime/core/result.hpp"

#include <cstdint>
#include <string>

namespace ke::cli {

struct overhead_figures {
  double cpu_us_per_candidate = 0; ///< user + system of this process
  double candidates_per_s = 0;
  std::uint64_t nodes_held = 0;
  std::uint64_t rss_bytes = 0;
};

/// A campaign through the real actors; the evaluator, in this process, takes no time. Blocking.
result<overhead_figures> run_overhead(const std::string& store, const std::string& llm,
                                      std::int64_t candidates, std::int64_t parallel, std::int64_t preload);

struct slots_figures {
  double utilization = 0; ///< of the slots, after 5 s of warm-up
  double evaluations_per_s = 0;
  std::uint64_t llm_in_flight = 0;      ///< mean, after the warm-up
  std::uint64_t llm_in_flight_peak = 0; ///< of the whole run
  /// Peak of anonymous memory, less that before store and actors started, per request at the peak.
  double llm_bytes_per_request = 0;
  std::uint64_t threads = 0;
};

/// The same with `slots` evaluators of `eval_ms` each and at most `parallel` candidates in flight. Blocks for
/// `seconds`.
result<slots_figures> run_slots(const std::string& store, const std::string& llm, std::int64_t slots,
                                double eval_ms, double seconds, std::int64_t parallel);

} // namespace ke::cli
