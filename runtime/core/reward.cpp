#include "runtime/core/reward.hpp"

#include "runtime/core/geometric_mean.hpp"
#include "runtime/core/verdict.hpp"
#include "runtime/core/verdict_state.hpp"

#include <algorithm>
#include <cmath>

namespace ke {
namespace {

/// Gives no reward: it says nothing about the candidate, the problem's check is worthless, or nothing here
/// could run it.
bool is_silent(verdict_state s) {
  return says_nothing(s) || s == verdict_state::unfit_problem || s == verdict_state::compiled;
}

} // namespace

double shaped_speedup(double speedup, double cap) {
  auto share = std::log2(speedup) / std::log2(cap);
  return reward_floor + (1 - reward_floor) * std::clamp(share, 0.0, 1.0);
}

candidate_reward reward(const verdict& v) {
  return reward(std::vector<verdict>{v});
}

candidate_reward reward(const std::vector<verdict>& targets) {
  candidate_reward r;
  for (const auto& v : targets)
    if (v.state != verdict_state::correct || (v.score && *v.score <= 0)) {
      r.defined = !is_silent(v.state);
      return r;
    }
  r.defined = !targets.empty();
  auto timed = std::all_of(targets.begin(), targets.end(), [](const auto& v) { return v.score.has_value(); });
  auto shaped = [&](auto&& speedup_of) {
    if (!r.defined)
      return 0.0;
    if (!timed)
      return reward_floor;
    if (targets.size() == 1) // to the last digit what the search's tree has
      return shaped_speedup(speedup_of(targets.front()));
    return shaped_speedup(*geometric_mean(targets, speedup_of));
  };
  r.value = shaped([](const verdict& v) { return *v.score; });
  r.point = shaped(
      [](const verdict& v) { return v.timing && v.timing->speedup > 0 ? v.timing->speedup : *v.score; });
  r.high =
      shaped([](const verdict& v) { return v.timing && v.timing->high > 0 ? v.timing->high : *v.score; });
  return r;
}

} // namespace ke
