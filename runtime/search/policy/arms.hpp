#pragma once

#include "runtime/search/index/rank_index.hpp"
#include "runtime/search/index/tree_index.hpp"

#include <bit>
#include <cstdint>
#include <optional>
#include <vector>

namespace ke {

/// The number of k's bucket. k is made coarse, all but its four leading bits cleared: a bonus is known to an
/// eighth, as exactly as it means anything. Counts up with the coarse k, without gaps, from 0 to 239.
constexpr std::uint32_t bucket_of(std::uint32_t k) {
  auto shift = k < 16 ? 0u : static_cast<std::uint32_t>(std::bit_width(k)) - 4;
  return shift * 8 + (k >> shift);
}
/// The coarse k of a bucket.
constexpr std::uint32_t count_of(std::uint32_t bucket) {
  return bucket < 16 ? bucket : (bucket % 8 + 8) << (bucket / 8 - 1);
}
inline constexpr std::uint32_t most_buckets = 240;

/// R, the worth of a rank: 1 for the best, a half with `half_rank` nodes above, then falling as 1 / rank.
/// Independent of the number of nodes below: a share of all n would make the ten best of a thousand equal.
inline constexpr double half_rank = 4;
constexpr double rank_worth(std::size_t above) {
  return 1 / (1 + static_cast<double>(above) / half_rank);
}

/// The nodes that a flat policy may expand; finds the best one without a look at all of them.
///
///   worth(node) = R + scale / (1 + k)
///   R             rank_worth(scored nodes above it)
///   k             visits and in-flight descendants, made coarse by `bucket_of`
///
/// Nodes lie in buckets by k, at most 16 + 8 log2(n / 16). Within a bucket the highest priority has the
/// highest R, so only tops can win. Buckets are visited from the smallest k up, with falling bonus. A top's
/// rank is looked up only if the priority exceeds all seen before; the search ends when 1 + scale / (1 + k)
/// cannot beat the best so far. A bucket remembers the R last looked up for a top. Scores are only added, so
/// R can only have fallen: while this bound cannot win, the bucket is passed over.
///
/// A node's k grows with every descendant; moving all ancestors at each step would cost more than the rest of
/// the search. So a node may lie in a bucket of too small a k. There it is over-estimated: it surfaces no
/// later than it should, and is then moved on.
///
/// Priorities order nodes. A scored node's priority is its score, and it is also `ranked`; a node to be
/// repaired borrows a priority. A node with as many children as progressive widening allows is `saturated`:
/// it rests while an `expandable` one is left.
class arms {
public:
  enum class standing : std::uint8_t { none, expandable, saturated };

  /// For nodes from `first` on: earlier ones cost no memory, and must not be named.
  explicit arms(std::uint32_t first = 0) : first_{first} {}

  void rank(double score, std::uint32_t node) { ranks_.insert(rank_key(score, node)); }
  void rank_all(std::vector<std::uint64_t> keys) { ranks_.assign(std::move(keys)); } ///< rank_key of each

  /// Puts `node` among the expandable or the saturated at count `k` (>= 1, made coarse here), or (none) out
  /// of both. Needed when that changes or k shrinks; reporting growth is optional and free. A node's priority
  /// never changes.
  void place(std::uint32_t node, standing where, std::uint32_t k, double priority);
  standing where(std::uint32_t node) const;

  /// The node of highest worth among these, with the tree's present k. Ties: smaller k, then higher priority,
  /// then the older node.
  std::optional<std::uint32_t> best(const tree_index& tree, standing where, double scale);

  std::size_t bytes() const;

private:
  struct bucket {
    /// rank_key of priorities, highest first; may hold keys of nodes that have left.
    std::vector<std::uint64_t> heap;
    std::uint32_t live = 0;      ///< members, not counting those that have left
    std::uint64_t asked_key = 0; ///< the key whose rank was looked up last,
    double asked = 1;            ///< and its R then
  };
  using buckets = std::vector<bucket>; ///< by number; those without a member are empty
  buckets& of(standing s) { return s == standing::expandable ? expandable_ : saturated_; }
  std::uint32_t& spot(std::uint32_t node);
  bool here(std::uint64_t key, std::uint32_t spot) const;
  void leave(std::uint32_t spot);
  void compact(bucket& b, std::uint32_t spot);
  void join(std::uint64_t key, std::uint32_t spot);
  void take_highest(bucket& b, bool present, std::uint32_t node, std::uint32_t to);
  double at_most(const bucket& b, std::uint64_t key) const;
  double standing_in(bucket& b, std::uint64_t key, double scale) const;

  std::uint32_t first_;
  rank_index ranks_;
  buckets expandable_, saturated_;
  /// By node - first_: 0 absent, else the bucket's number; the top bit tells the saturated ones.
  std::vector<std::uint32_t> spots_;
};

} // namespace ke
