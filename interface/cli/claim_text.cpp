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

std::string second_device_words(second_look said) {
  switch (said) {
  case second_look::none:
    return {};
  case second_look::holds:
    return "the claim holds on a second device, too";
  case second_look::not_faster:
    return "on a second device it is right, but not proven faster";
  case second_look::not_measured:
    return "a second device could not measure it";
  case second_look::wrong:
    return "on a second device it is wrong, hence no claim";
  }
  return {};
}

std::string second_device_text(const claim_book::entry& e, bool timed) {
  auto text = second_device_words(e.on_second(timed));
  if (text.empty())
    return {};
  for (const auto& there : e.elsewhere)
    if (!there.worker.empty())
      text += (&there == &e.elsewhere.front() ? ": " : ", ") + there.device + " of worker " + there.worker +
              (there.score ? ", at least " + fixed(*there.score, 2) + "x" : "");
  return text;
}

} // namespace ke::cli
