#pragma once

#include "runtime/core/settings.hpp"
#include "runtime/core/types.hpp"
#include "runtime/core/verdict.hpp"

namespace ke {

/// The workload furthest below the goal's floor, held-out ones included. Null: none is below, the goal has no
/// floor, or nothing was timed. Below means: the whole interval, widened by the A/A control and by what
/// `plan` calls the same; a workload that can't be told from the floor keeps it. Points into `v`. Pure.
const workload_timing* below_floor(const verdict& v, const goal_settings& goal, measure_plan plan);

/// The verdict's decision for a campaign with this goal: `slower` if a workload lies below the floor,
/// whatever the mean. The verdict itself knows no goal.
timing_decision decision_under(const verdict& v, const goal_settings& goal, measure_plan plan);

} // namespace ke
