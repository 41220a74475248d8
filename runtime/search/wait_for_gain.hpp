#pragma once

#include "runtime/core/image.hpp"

#include <algorithm>
#include <cstdint>

namespace ke {

/// A stall is the reason for a new start. It has come when so many correct candidates, and a quarter of those
/// that there were at the last gain, have not been one; counted in correct ones, because where three builds
/// of four fail four times as many candidates say as much. A new start is given up sooner than what it is to
/// beat, which has far more to lose.
inline constexpr std::uint32_t least_wait = 100;
inline constexpr std::uint32_t least_wait_of_start = 20;
/// What a new start has found is then tried in the rest, before the next one may begin: for so many choices,
/// of which this part has the best of that start as a second parent. docs/decisions/0020 says on what the
/// numbers of this file were chosen, and how much they matter.
inline constexpr std::uint32_t crossings_of_start = 80;
inline constexpr double share_of_crossings = 0.8;

/// The share of the improvements with two parents; `crossover`: [search]'s. Without it none has, at any time.
constexpr double crossing_share(double crossover, bool after_start) {
  return after_start && crossover > 0 ? std::max(share_of_crossings, crossover) : crossover;
}

/// The wait of a tree, or of a part of it, for its next gain. No function of the tree: it depends on the
/// order in which nodes ended.
struct wait_for_gain {
  double best = 0;            ///< score
  std::uint32_t verdicts = 0; ///< since the last gain
  std::uint32_t correct = 0;  ///< of these; only what was begun after the gain, and so knew of it
  std::uint32_t at_gain = 0;  ///< correct ones up to it
  std::uint32_t begun_at = 0; ///< size of the tree at the gain
  std::uint32_t all = 0;      ///< correct ones so far

  /// One more verdict. True: a gain.
  bool judged(std::uint32_t node, bool is_correct, double score, std::uint32_t tree_size) {
    all += is_correct;
    if (is_correct && score > best) {
      best = score;
      at_gain = all;
      begin(tree_size);
      return true;
    }
    ++verdicts;
    correct += is_correct && node >= begun_at;
    return false;
  }
  /// The wait begins anew.
  void begin(std::uint32_t tree_size) {
    verdicts = correct = 0;
    begun_at = tree_size;
  }
  /// After `most` verdicts, or earlier: after `least` correct ones that are a quarter of those up to the
  /// gain.
  bool is_over(std::uint32_t least, std::uint64_t most) const {
    return verdicts >= most || correct >= std::max(least, at_gain / 4);
  }

  void save(image_writer& out) const {
    out.value(best);
    for (auto n : {verdicts, correct, at_gain, begun_at, all})
      out.value(n);
  }
  void load(image_reader& in) {
    in.values(&best, 1);
    for (auto* n : {&verdicts, &correct, &at_gain, &begun_at, &all})
      in.values(n, 1);
  }
};

} // namespace ke
