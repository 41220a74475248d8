#pragma once

#include "runtime/search/campaign/ledger.hpp"

#include <cstdint>
#include <optional>
#include <string_view>

namespace ke {

struct budget_settings;
struct goal_settings;

/// Smallest relative gain that noise cannot explain: 3 standard errors (features.md E7). `noise` is one side
/// of a 95% interval (1.96).
inline double noise_band(double noise) {
  return noise > 0 ? 3 / 1.96 * noise : 0;
}

/// What the stop rule looks at, now.
struct stop_facts {
  double best_score = 0;                   ///< lower bound of the best correct candidate; 0: none
  bool any_correct = false;                ///< decides an untimed campaign
  std::uint64_t since_gain = 0;            ///< ends that count (stall_meter)
  std::uint64_t in_flight = 0;             ///< and what may still begin although a budget is used up
  std::optional<double> roofline_fraction; ///< of the best candidate
  std::optional<resource> lacking; ///< why the next candidate or call can't be paid for; empty: it can
};

inline constexpr double roofline_goal = 0.95; ///< this close to the machine's limit nothing is left to win

/// The stop reason of product.md, or empty: go on. Good news first: target, roofline, then budgets, then
/// stall. A budget stops the campaign only when nothing is in flight; wall and device time, once used up,
/// stop it at once.
std::optional<std::string_view> stop_reason(const goal_settings& goal, const budget_settings& budget,
                                            const ledger& money, const stop_facts& now);

} // namespace ke
