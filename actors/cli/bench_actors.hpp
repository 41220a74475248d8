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

/// A campaign through the real actors with an evaluator in this process that takes no time. Blocking.
result<overhead_figures> run_overhead(const std::string& store, const std::string& llm,
                                      std::int64_t candidates, std::int64_t parallel, std::int64_t preload);

struct slots_figures {
  double utilization = 0; ///< of the slots, after 5 s of warm-up
  double evaluations_per_s = 0;
  std::uint64_t llm_in_flight = 0;      ///< mean, after the warm-up
  std::uint64_t llm_in_flight_peak = 0; ///< of the whole run
  /// Anonymous memory at its most, less what the process had before the store and the actors were started,
  /// per request of the peak.
  double llm_bytes_per_request = 0;
  std::uint64_t threads = 0;
};

/// The same with `slots` evaluators that each take `eval_ms` and at most `parallel` candidates in flight.
/// Blocking for `seconds`.
result<slots_figures> run_slots(const std::string& store, const std::string& llm, std::int64_t slots,
                                double eval_ms, double seconds, std::int64_t parallel);

} // namespace ke::cli
