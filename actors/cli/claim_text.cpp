#include "actors/cli/claim_text.hpp"

#include "actors/cli/figures.hpp"
#include "backends/floor.hpp"
#include "backends/verdict.hpp"

namespace ke::cli {

std::string over_text(const std::optional<verdict>& v) {
  auto name = v ? compared_with(*v) : std::string{"reference"};
  return name == "reference" ? "over the reference" : "over " + name;
}

std::string floor_text(const std::optional<verdict>& v, const goal_settings& goal, measure_plan plan) {
  const auto* w = v && v->state == verdict_state::correct ? below_floor(*v, goal, plan) : nullptr;
  return w ? w->name + ": " + speedup_text(w->speedup, w->low, w->high) + " lies below the floor of " +
                 fixed(goal.floor, 2)
           : std::string{};
}

} // namespace ke::cli
