#pragma once

#include "runtime/core/settings.hpp"
#include "runtime/search/lab/search_simulation.hpp"

namespace ke {

inline campaign_settings simulated_settings(std::uint64_t seed, std::int64_t candidates = 200,
                                            std::int64_t parallel = 16) {
  campaign_settings s;
  s.seed = seed;
  s.budget.candidates = candidates;
  s.search.parallel = parallel;
  s.targets = {target_settings{}};
  model_settings a, b;
  a.name = "small";
  a.weight = 3;
  b.name = "large";
  b.weight = 1;
  s.models = {a, b};
  return s;
}

} // namespace ke
