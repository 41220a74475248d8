#include "runtime/core/reward.hpp"

#include <algorithm>
#include <cmath>

namespace ke {
namespace {

/// Says nothing about the candidate: the machine was too loud, the problem's check worthless, the evaluation
/// failed, or nothing here could run it.
bool is_silent(verdict_state s) {
  return s == verdict_state::noisy || s == verdict_state::unfit_problem ||
         s == verdict_state::harness_error || s == verdict_state::compiled;
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
  double value = 0, point = 0, high = 0; // sums of logarithms
  bool timed = true;
  if (targets.empty())
    return r;
  for (const auto& v : targets) {
    if (v.state != verdict_state::correct || (v.score && *v.score <= 0)) {
      r.defined = !is_silent(v.state); // wrong on one target: wrong
      return r;
    }
    timed = timed && v.score.has_value();
    if (!timed)
      continue;
    value += std::log(*v.score);
    point += std::log(v.timing && v.timing->speedup > 0 ? v.timing->speedup : *v.score);
    high += std::log(v.timing && v.timing->high > 0 ? v.timing->high : *v.score);
  }
  r.defined = true;
  auto shaped = [&](double logs) {
    return timed ? shaped_speedup(std::exp(logs / static_cast<double>(targets.size()))) : reward_floor;
  };
  r.value = shaped(value);
  r.point = shaped(point);
  r.high = shaped(high);
  return r;
}

} // namespace ke
