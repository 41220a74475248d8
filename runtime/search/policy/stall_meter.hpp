#pragma once

#include "runtime/core/image.hpp"

#include <algorithm>
#include <cstdint>

namespace ke {

/// How long a search, or a part of it, has waited for its next gain. Each user has its own idea of a gain, of
/// what counts, and of how long is too long:
///
///   who                      a gain is                        what counts          stalled after
///   memory of a tree         a new best of the tree           verdicts             stagnation_window
///   stop rule of a campaign  (1 + min_gain) of the last gain  ends without points  budget.stall.candidates
///   new starts, islands      a better score                   correct candidates   the larger of a least number
///                                                             begun after it       and a quarter of those before
///
/// Ends are counted, not time or requests: a hung job neither hides a stall nor makes one. Part of the fold:
/// no function of the tree, because it depends on the order of ends.
class stall_meter {
public:
  stall_meter() = default;
  /// The wait begins at this size of the tree.
  explicit stall_meter(std::uint32_t tree_size) : begun_at_{tree_size} {}

  /// A candidate that ended.
  struct end {
    double score = 0;            ///< 0: none
    bool correct = false;        ///< without this it is no gain
    bool counts = true;          ///< false: that it is no gain says nothing
    std::uint32_t node = 0;      ///< older ones than the gain could not know of it
    std::uint32_t tree_size = 0; ///< now
  };
  /// True: a gain. The first score is one. Small steps add up to one, because all are compared with the score
  /// at the last gain.
  bool ended(const end& e, double min_gain = 0) {
    correct_in_all_ += e.correct;
    if (e.correct && e.score > level_ && (level_ == 0 || e.score >= level_ * (1 + std::max(min_gain, 0.0)))) {
      level_ = e.score;
      correct_at_gain_ = correct_in_all_;
      begin(e.tree_size);
      return true;
    }
    ends_ += e.counts;
    correct_ += e.correct && e.node >= begun_at_;
    return false;
  }
  /// The wait begins anew.
  void begin(std::uint32_t tree_size = 0) {
    ends_ = correct_ = 0;
    begun_at_ = tree_size;
  }

  double level() const { return level_; }            ///< score at the last gain; 0: none yet
  std::uint32_t ends() const { return ends_; }       ///< since then, of those that count
  std::uint32_t correct() const { return correct_; } ///< since then, of those begun after it
  /// After `most` ends, or earlier: after max(`least`, correct up to the gain / 4) correct ones. Failures do
  /// not count as correct, so a high build-failure rate is not taken for a stall.
  bool is_over(std::uint32_t least, std::uint64_t most) const {
    return ends_ >= most || correct_ >= std::max(least, correct_at_gain_ / 4);
  }

  void save(image_writer& out) const {
    out.value(level_);
    for (auto n : {ends_, correct_, correct_at_gain_, begun_at_, correct_in_all_})
      out.value(n);
  }
  void load(image_reader& in) {
    in.values(&level_, 1);
    for (auto* n : {&ends_, &correct_, &correct_at_gain_, &begun_at_, &correct_in_all_})
      in.values(n, 1);
  }

private:
  double level_ = 0;
  std::uint32_t ends_ = 0, correct_ = 0, correct_at_gain_ = 0, begun_at_ = 0, correct_in_all_ = 0;
};

} // namespace ke
