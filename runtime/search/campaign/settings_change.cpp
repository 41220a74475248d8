#include "runtime/search/campaign/settings_change.hpp"

#include "runtime/search/policy/ensemble.hpp"

#include <type_traits>

namespace ke {
namespace {

/// `now` with every setting that a running campaign takes over from `then`. It would not notice any other
/// difference.
campaign_settings taken_over(const campaign_settings& now, const campaign_settings& then) {
  auto s = now;
  s.goal.target_speedup = then.goal.target_speedup;
  s.budget = then.budget;
  s.search = then.search;
  s.search.warm_start = now.search.warm_start; // its solutions are nodes since the start
  for (std::size_t i = 0; i < s.models.size() && i < then.models.size(); ++i) {
    s.models[i].weight = then.models[i].weight;
    s.models[i].context_tokens = then.models[i].context_tokens;
  }
  return s;
}

} // namespace

status can_change(const campaign_settings& now, const campaign_settings& then, change_time when) {
  auto fixed = [](const char* what, auto was, auto is) -> std::string {
    if (was == is)
      return {};
    std::string value;
    if constexpr (named<decltype(was)>)
      value = '"' + std::string{to_text(was)} + '"';
    else if constexpr (std::is_same_v<decltype(was), bool>)
      value = was ? "true" : "false";
    else
      value = std::to_string(was);
    return std::string{what} + " cannot change within a campaign: it runs with " + value +
           "; start a new one with --fresh";
  };
  // Whatever it was called, every verdict compares with the reference (the others were never measured).
  auto baseline = then.goal.baseline == baseline_kind::reference ? then.goal.baseline : now.goal.baseline;
  for (const auto& why :
       {fixed("[search] policy", now.search.policy, then.search.policy),
        fixed("[search] rule", now.search.rule, then.search.rule),
        fixed("[campaign] seed", now.seed, then.seed), fixed("[goal] timed", now.goal.timed, then.goal.timed),
        fixed("[goal] floor", now.goal.floor, then.goal.floor),
        fixed("[goal] baseline", baseline, then.goal.baseline)})
    if (!why.empty())
      return failure{failure_kind::invalid, why};
  if (when == change_time::running && !(then.targets == now.targets))
    return failure{failure_kind::invalid,
                   "[[target]] cannot change while a campaign runs; start a new one with --fresh"};
  if (auto models = ensemble::make(then.search.ensemble, then.models); !models)
    return models.error();
  if (when == change_time::running && !(taken_over(now, then) == then))
    return failure{failure_kind::invalid,
                   "this is read when a campaign starts: pause it with Ctrl-C, change the file and start it "
                   "again, which resumes it"};
  return ok;
}

} // namespace ke
