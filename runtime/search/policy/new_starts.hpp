#pragma once

#include "runtime/core/image.hpp"
#include "runtime/search/index/tree_index.hpp"
#include "runtime/search/policy/stall_meter.hpp"

#include <algorithm>
#include <cstdint>

namespace ke {

struct search_settings;

/// A stall (stall_meter::is_over) is the reason for a new start. A new start is given up sooner than the old
/// one, which has far more to lose. Both: correct candidates without a gain, at least.
inline constexpr std::uint32_t least_wait = 100;
inline constexpr std::uint32_t least_wait_of_start = 20;
/// Then the finds of the start are tried in the rest: for this many choices before the next start, this share
/// has the start's best as second parent. docs/decisions/0020 says how these numbers were chosen, and how
/// much they matter.
inline constexpr std::uint32_t crossings_of_start = 80;
inline constexpr double share_of_crossings = 0.8;

/// The share of improvements with two parents; `crossover`: of [search], 0: none at any time.
constexpr double crossing_share(double crossover, bool after_start) {
  return after_start && crossover > 0 ? std::max(share_of_crossings, crossover) : crossover;
}

/// What a policy that climbs one tree does about a stall: new drafts, which get the candidates together with
/// their descendants until they have stalled in their turn. The policy says how it chooses among them. Part of
/// the fold.
class new_starts {
public:
  /// `restart` and `drafts` of [search]; with `restart` = 0 there are none.
  void set(const search_settings& s);

  /// True: the tree has stalled, and a new start has begun with this call. `may`: false holds it back.
  bool begins(const tree_index& tree, bool may = true);
  bool is_followed() const { return first_ != 0; }
  std::uint32_t first() const { return first_; } ///< node of the start that is followed; 0: none
  /// Whether the node descends from a draft of the start that is followed.
  bool holds(const tree_index& tree, std::uint32_t node) const {
    return first_ && node >= first_ && tree.draft_of(node) >= first_;
  }
  /// Whether the start's own candidates are to be improved. It is small: many at once would all be children
  /// of the same few.
  bool is_expanded(const tree_index& tree) const { return drafts_ >= most_drafts_ && has_room(tree); }
  /// True: the next candidate is a draft of it, which is counted with this call. Others come in place of drafts
  /// that failed: as long as none works there is nothing to follow.
  bool takes_draft(const tree_index& tree);

  void added(const tree_index& tree, std::uint32_t node) { under_way_ += holds(tree, node); }
  /// A node has ended; `held`: what `holds` says of it, `counts`: it is a correct candidate and no duplicate.
  /// True: the start is exhausted, and nothing is followed from here on.
  bool ended(const tree_index& tree, std::uint32_t node, bool held, bool counts);

  void save(image_writer& out) const;
  void load(image_reader& in);

private:
  bool has_room(const tree_index& tree) const {
    return under_way_ < std::max(most_drafts_, tree[0].in_flight / 2);
  }
  /// Verdicts of any kind without a gain; longer before each further start.
  std::uint64_t patience() const { return std::uint64_t{restart_} * (starts_ + 1); }

  std::uint32_t restart_ = 0, most_drafts_ = 1;
  std::uint32_t first_ = 0;     ///< node of the new start that is being followed; 0: none
  std::uint32_t drafts_ = 0;    ///< of it, begun
  std::uint32_t under_way_ = 0; ///< nodes of it that have not ended, drafts included
  std::uint32_t starts_ = 0;    ///< new starts so far
  stall_meter whole_, own_;     ///< of the tree, of the new start
};

} // namespace ke
