#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace ke {
enum class measure_plan : std::uint8_t;
struct goal_settings;
struct verdict;
} // namespace ke

namespace ke::cli {

/// "over the reference", "over best-known": what a speedup is against. Pure, like floor_text.
std::string over_text(const std::optional<verdict>& v);

/// "tall: 0.33x [0.32, 0.34] lies below the floor of 0.95"; empty: no workload does.
std::string floor_text(const std::optional<verdict>& v, const goal_settings& goal, measure_plan plan);

} // namespace ke::cli
