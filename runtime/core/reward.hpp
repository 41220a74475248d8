#pragma once

#include "runtime/core/verdict.hpp"

#include <vector>

namespace ke {

/// What "right, but no faster" is worth: above wrong, below every gain.
inline constexpr double reward_floor = 0.05;
/// The speedup that is worth 1: three doublings. The same for every campaign, so that rewards of different
/// goals and operators can be compared.
inline constexpr double reward_cap = 8;

/// floor + (1 - floor) * clip(log2(speedup) / log2(cap), 0, 1). The logarithm makes two successive gains of
/// 10% worth the same wherever they happen. `speedup` > 0, `cap` > 1.
double shaped_speedup(double speedup, double cap = reward_cap);

/// A verdict as a number to learn from, in [0, 1].
struct candidate_reward {
  bool defined = false; ///< false: the verdict says nothing about the candidate; leave the sample out
  double value = 0;     ///< of the score, the lower bound of the interval: noise can't be learnt
  double point = 0;     ///< of the estimate
  double high = 0;      ///< of the upper bound; the reward's interval is [value, high]
};

/// The reward of a candidate, from its verdict alone: what `ke-runtime eval` prints for a candidate and what
/// `export trajectories` writes for a step is this function of the same verdict
/// (docs/manual/trajectories.md).
///   wrong, or not built, crashed, too slow to end, forbidden, suspected of cheating    0
///   correct and timed                                                  shaped_speedup(score)
///   correct, timing not asked for                                                   the floor
///   noisy, unfit_problem, harness_error, compiled                                  undefined
/// Unlike tree.hpp's reward_of, which has to back up something for every node and measures against the
/// campaign's own goal: there `noisy` counts as the floor, and the cap is the goal.
candidate_reward reward(const verdict& v);

/// Of a candidate for several targets: as of the first one on which it is not correct, if there is one, else
/// that of the geometric means. Undefined without any.
candidate_reward reward(const std::vector<verdict>& targets);

} // namespace ke
