#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ke::cli {

/// One candidate of a model, as far as effort is counted.
struct model_answer {
  std::uint64_t ms = 0; ///< campaign time when its verdict came, or its unusable answer
  std::uint64_t node = 0;
  std::string model;
  std::uint64_t tokens = 0; ///< in and out
  double usd = 0;
  bool correct = false;
  double score = 0; ///< if correct; 0 untimed
};

/// What had been spent when something was reached, that candidate included.
struct effort {
  std::uint64_t steps = 0; ///< candidates
  std::uint64_t tokens = 0;
  double usd = 0;
};

struct model_effort {
  std::optional<effort> first_correct, best, target; ///< empty: not reached, or no target was set
  effort all;
};

/// Steps and tokens that each model needed, counting its own candidates alone, and under the empty name what
/// they needed together. A better model reaches the same with fewer. `target` <= 0: none. Pure.
std::map<std::string, model_effort> efforts_of(std::vector<model_answer> answers, double target);

} // namespace ke::cli
