#pragma once

#include <cmath>
#include <cstddef>
#include <optional>

namespace ke {

/// The geometric mean of the scores of all targets, as `score_of` gives them (std::optional<double>, or a
/// double): 0 if one is 0, nothing if one is missing or negative, or if there is none. Of one score the last
/// digit may differ, since exp(log(x)) is rounded twice: who needs that one as it is takes it as it is.
template <class Targets, class Score>
std::optional<double> geometric_mean(const Targets& targets, Score&& score_of) {
  double logs = 0;
  std::size_t count = 0;
  bool zero = false;
  for (const auto& target : targets) {
    const std::optional<double> score = score_of(target);
    if (!score || !(*score >= 0))
      return std::nullopt;
    zero = zero || *score == 0;
    if (!zero)
      logs += std::log(*score);
    ++count;
  }
  if (count == 0)
    return std::nullopt;
  return zero ? 0 : std::exp(logs / static_cast<double>(count));
}

} // namespace ke
