#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ke::cli {

/// One candidate of a model, as counted for effort.
struct model_answer {
  std::uint64_t ms = 0; ///< campaign time of the verdict, or of the unusable answer
  std::uint64_t node = 0;
  std::string model;
  std::uint64_t tokens = 0; ///< in and out
  double usd = 0;
  bool correct = false;
  double score = 0; ///< if correct; 0 untimed
};

/// Spent up to the candidate that reached something, with it.
struct effort {
  std::uint64_t steps = 0; ///< candidates
  std::uint64_t tokens = 0;
  double usd = 0;
};

struct model_effort {
  std::optional<effort> first_correct, best, target; ///< empty: not reached, or no target was set
  effort all;
};

/// Steps and tokens of each model, by its own candidates alone; under the empty name all together. A better
/// model reaches the same with fewer. `target` <= 0: none. Pure.
std::map<std::string, model_effort> efforts_of(std::vector<model_answer> answers, double target);

} // namespace ke::cli
