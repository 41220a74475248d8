#include "backends/judge/single_calls.hpp"

#include <algorithm>
#include <cmath>

namespace ke {

std::optional<double> single_calls::most_saved_ns() const {
  constexpr std::size_t least = 3;
  constexpr double least_spread_ns = 500, beyond = 1.1,
                   margin_ns = 300; // a call reads by itself within some tenths of a us
  if (saved_.size() < least)
    return std::nullopt;
  double middle = median_of(saved_);
  std::vector<double> off;
  off.reserve(saved_.size());
  for (double s : saved_)
    off.push_back(std::fabs(s - middle));
  constexpr double deviations = 2, of_normal = 1.4826; // the median's own, from the median absolute deviation
  double error = deviations * of_normal * std::max(median_of(off), least_spread_ns) /
                 std::sqrt(static_cast<double>(saved_.size()));
  return std::max(middle + error, 0.0) * beyond + margin_ns;
}

std::optional<double> most_saved_ns(const calls_alone_of& alone) {
  auto timed = alone.as_timed.most_saved_ns(), replayed = alone.replayed.most_saved_ns();
  return timed && replayed ? std::max(timed, replayed) : timed;
}

void charge_beyond(std::optional<double> most, const std::vector<double>& reference_ns,
                   std::vector<double>& candidate_ns) {
  for (std::size_t i = 0; most && i < candidate_ns.size(); ++i)
    candidate_ns[i] = std::max(candidate_ns[i], reference_ns[i] - *most);
}

} // namespace ke
