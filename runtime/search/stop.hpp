#pragma once

#include "runtime/search/ledger.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace ke {

/// Counts finished candidates since the last gain. A gain is a score at least (1 + min_gain) times the score
/// of the last gain, so that a slow creep adds up to one; the first score of all is one. `min_gain` is the
/// larger of what the settings ask for and of the noise band of the timing (`noise_band`). Scores are lower
/// bounds of their intervals: noise cannot feign progress. Counting ends, not time or requests, means that a
/// hung job neither hides a stall nor makes one.
class progress_meter {
public:
  /// `counts`: false for one whose failure to gain says nothing, as of a template's point.
  void finished(std::optional<double> score, double min_gain, bool counts = true);
  std::uint64_t since_gain() const { return since_gain_; }
  double last_gain() const { return last_gain_; } ///< 0: no candidate has scored

private:
  double last_gain_ = 0;
  std::uint64_t since_gain_ = 0;
};

/// How large a gain must be to be none of the noise's: 3 standard errors, where the interval is of 1.96
/// (features.md E7). `noise`: one side of the score's interval, relative to the score.
inline double noise_band(double noise) {
  return noise > 0 ? 3 / 1.96 * noise : 0;
}

/// Everything that the stop rule looks at, now.
struct stop_facts {
  double best_score = 0;    ///< lower bound of the best correct candidate; 0: none
  bool any_correct = false; ///< decides an untimed campaign
  std::uint64_t since_gain = 0;
  std::uint64_t in_flight = 0;             ///< and what may still begin although a budget is used up
  std::optional<double> roofline_fraction; ///< of the best candidate
  std::optional<resource> lacking; ///< why the next candidate or call cannot be paid for; empty: it can
};

inline constexpr double roofline_goal = 0.95; ///< this close to the machine's limit nothing is left to win

/// The stop reason of product.md, or empty: go on. The order is that of good news: target, roofline, then
/// budgets, then stall. A budget whose last unit is merely reserved does not stop the campaign before what is
/// in flight has ended; wall and device time, once used up, stop at once.
std::optional<std::string_view> stop_reason(const goal_settings& goal, const budget_settings& budget,
                                            const ledger& money, const stop_facts& now);

} // namespace ke
