#pragma once

#include "runtime/core/settings.hpp"
#include "runtime/core/types.hpp"
#include "runtime/core/verdict.hpp"

namespace ke {

/// The workload that lies furthest below the goal's floor, held-out ones included; null: none does, the goal
/// has no floor, or nothing was timed. Below it lies whose whole interval does, widened by the A/A control
/// and by what `plan` itself calls the same: who can't be told from the floor keeps it. Points into `v`.
/// Pure.
const workload_timing* below_floor(const verdict& v, const goal_settings& goal, measure_plan plan);

/// What the verdict decides for a campaign with this goal: `slower` where a workload lies below the floor,
/// whatever the mean of all says. The verdict itself knows of no goal.
timing_decision decision_under(const verdict& v, const goal_settings& goal, measure_plan plan);

} // namespace ke
