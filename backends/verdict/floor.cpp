#include "backends/verdict/floor.hpp"

#include "backends/verdict/statistics.hpp"
#include "runtime/core/measure_plan.hpp"
#include "runtime/core/settings.hpp"

#include <algorithm>

namespace ke {

const workload_timing* below_floor(const verdict& v, const goal_settings& goal, measure_plan plan) {
  if (!goal.timed || !(goal.floor > 0) || !v.timing)
    return nullptr;
  auto band = 1 + std::max(v.timing->aa_width, plan_of(plan).same_band);
  const workload_timing* worst = nullptr;
  for (const auto& w : v.timing->workloads)
    if (w.high * band < goal.floor && (!worst || w.high < worst->high))
      worst = &w;
  return worst;
}

timing_decision decision_under(const verdict& v, const goal_settings& goal, measure_plan plan) {
  auto decided = v.state == verdict_state::correct && v.decision != timing_decision::none;
  return decided && below_floor(v, goal, plan) ? timing_decision::slower : v.decision;
}

} // namespace ke
