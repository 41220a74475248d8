#pragma once

#include "runtime/core/job_limits.hpp"
#include "runtime/core/settings.hpp"
#include "runtime/core/verdict.hpp"

#include <optional>
#include <string>

namespace ke::cli {

/// "over the reference", "over best-known": what a speedup is against. Pure, like floor_text.
std::string over_text(const std::optional<verdict>& v);

/// "tall: 0.33x [0.32, 0.34] lies below the floor of 0.95"; empty: no workload does.
std::string floor_text(const std::optional<verdict>& v, const goal_settings& goal, measure_plan plan);

} // namespace ke::cli
