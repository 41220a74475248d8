#pragma once

#include <cstdint>

namespace ke {

enum class measure_plan : std::uint8_t;
enum class timing_decision : std::uint8_t;
struct goal_settings;
struct verdict;
struct workload_timing;

/// The workload furthest below the goal's floor, held-out ones included. Null: none is below, the goal has no
/// floor, or nothing was timed. A workload is below if its whole interval is, after the interval was widened
/// by the A/A control and by the band in which `plan` calls times the same. One that can't be told from the
/// floor is not below. Points into `v`. Pure.
const workload_timing* below_floor(const verdict& v, const goal_settings& goal, measure_plan plan);

/// The verdict's decision for a campaign with this goal: `slower` if a workload lies below the floor,
/// whatever the mean. The verdict itself knows no goal.
timing_decision decision_under(const verdict& v, const goal_settings& goal, measure_plan plan);

} // namespace ke
