#include "runtime/search/settings_change.hpp"

#include "runtime/search/ensemble.hpp"

namespace ke {
namespace {

/// `now` with all that a running campaign takes over from `then`; what still differs, it would not notice.
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
  const char* fixed = then.search.policy != now.search.policy   ? "[search] policy"
                      : then.search.rule != now.search.rule     ? "[search] rule"
                      : !(then.targets == now.targets)          ? "[[target]]"
                      : then.seed != now.seed                   ? "[campaign] seed"
                      : then.goal.timed != now.goal.timed       ? "[goal] timed"
                      : then.goal.baseline != now.goal.baseline ? "[goal] baseline"
                                                                : nullptr;
  if (fixed)
    return failure{failure_kind::invalid, std::string{fixed} +
                                              " cannot change within a campaign; start a new "
                                              "one with --fresh"};
  if (auto models = ensemble::make(then.search.ensemble, then.models); !models)
    return models.error();
  if (when == change_time::running && !(taken_over(now, then) == then))
    return failure{failure_kind::invalid,
                   "this is read when a campaign starts: pause it with Ctrl-C, change the file and start it "
                   "again, which resumes it"};
  return ok;
}

} // namespace ke
