#pragma once

#include <vector>

namespace ke {

struct verdict;

/// The worth of "right, but no faster": above wrong, below every gain.
inline constexpr double reward_floor = 0.05;
/// The speedup with reward 1: three doublings. The same for every campaign, so that rewards of different
/// goals and operators compare.
inline constexpr double reward_cap = 8;

/// floor + (1 - floor) * clip(log2(speedup) / log2(cap), 0, 1). By the logarithm, equal relative gains are
/// worth the same wherever they happen. `speedup` > 0, `cap` > 1.
double shaped_speedup(double speedup, double cap = reward_cap);

/// A verdict as a number to learn from, in [0, 1].
struct candidate_reward {
  bool defined = false; ///< false: the verdict says nothing about the candidate; leave the sample out
  double value = 0;     ///< of the score, the lower bound of the interval: noise can't be learnt
  double point = 0;     ///< of the estimate
  double high = 0;      ///< of the upper bound; the reward's interval is [value, high]
};

/// The reward of a candidate, from its verdict alone (docs/manual/trajectories.md). `ke-runtime eval` prints
/// it for a candidate and `export trajectories` writes it for a step.
///   wrong, or not built, crashed, too slow to end, forbidden, suspected of cheating    0
///   correct and timed                                                                  shaped_speedup(score)
///   correct, timing not asked for                                                      the floor
///   noisy, unfit_problem, harness_error, compiled                                      undefined
/// The tree's own `reward_of` (runtime/search/index/tree_index.hpp) differs: every node has a value, `noisy`
/// counts as the floor, and the cap is the campaign's goal.
candidate_reward reward(const verdict& v);

/// Of a candidate for several targets: the reward of the first target on which it is not correct, else of the
/// geometric means. Undefined without any.
candidate_reward reward(const std::vector<verdict>& targets);

} // namespace ke
