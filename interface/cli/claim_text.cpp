#include "interface/cli/claim_text.hpp"

#include "backends/verdict/floor.hpp"
#include "backends/verdict/verdict_rules.hpp"
#include "interface/cli/figures.hpp"
#include "runtime/core/measure_plan.hpp"
#include "runtime/core/settings.hpp"
#include "runtime/core/verdict.hpp"
#include "runtime/core/verdict_state.hpp"

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
