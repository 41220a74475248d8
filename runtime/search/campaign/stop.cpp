#include "runtime/search/campaign/stop.hpp"

#include "runtime/core/settings.hpp"

namespace ke {

std::optional<std::string_view> stop_reason(const goal_settings& goal, const budget_settings& budget,
                                            const ledger& money, const stop_facts& now) {
  if (goal.timed ? goal.target_speedup > 0 && now.best_score >= goal.target_speedup : now.any_correct)
    return "target";
  if (now.roofline_fraction && *now.roofline_fraction >= roofline_goal)
    return "roofline";
  auto spent = money.exhausted();
  if (spent && (now.in_flight == 0 || *spent == resource::wall || *spent == resource::device))
    return to_text(*spent);
  if (now.lacking && now.in_flight == 0)
    return to_text(*now.lacking);
  if (budget.stall_candidates > 0 && now.since_gain >= static_cast<std::uint64_t>(budget.stall_candidates))
    return "stall";
  return std::nullopt;
}

} // namespace ke
