#pragma once

#include "runtime/core/image.hpp"

#include <algorithm>
#include <cstdint>

namespace ke {

/// A stall is the reason for a new start: max(`least`, correct at the last gain / 4) correct candidates
/// brought no gain. Failures do not count, so a high build-failure rate is not taken for a stall. A new start
/// is given up sooner than the old one, which has far more to lose.
inline constexpr std::uint32_t least_wait = 100;
inline constexpr std::uint32_t least_wait_of_start = 20;
/// After a start, its finds are tried in the rest of the tree: of this many choices, this share has the
/// start's best as second parent. Only then may the next start come. docs/decisions/0020 says how these
/// numbers were chosen, and how much they matter.
inline constexpr std::uint32_t crossings_of_start = 80;
inline constexpr double share_of_crossings = 0.8;

/// The share of improvements with two parents; `crossover`: of [search], 0: none at any time.
constexpr double crossing_share(double crossover, bool after_start) {
  return after_start && crossover > 0 ? std::max(share_of_crossings, crossover) : crossover;
}

/// The wait of a tree, or a part of it, for the next gain. No function of the tree: depends on the order of
/// ends.
struct wait_for_gain {
  double best = 0;            ///< score
  std::uint32_t verdicts = 0; ///< since the last gain
  std::uint32_t correct = 0;  ///< of these; only those begun after the gain, which could know of it
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
  /// After `most` verdicts, or earlier: after max(`least`, correct up to the gain / 4) correct ones.
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
