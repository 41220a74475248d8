#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ke {

/// A score and its node as one number: keys compare by higher score, then older node. `score` >= 0; it is
/// rounded to 24 bits of mantissa, far below what a measurement resolves.
std::uint64_t rank_key(double score, std::uint32_t node);
constexpr std::uint32_t node_of(std::uint64_t key) {
  return ~static_cast<std::uint32_t>(key);
}

/// Order statistics over scores: how many are below this one? Sorted blocks of at most 512 keys and a Fenwick
/// tree over the blocks' sizes. rank: O(log n), three short searches in contiguous memory, fast even when
/// nothing fits the cache. insert: O(block), and O(n / block) when a block is split, once per block / 2
/// insertions.
class rank_index {
public:
  void insert(std::uint64_t key);
  void assign(std::vector<std::uint64_t> keys); ///< in place of what was here; in any order; O(n log n)
  std::size_t rank(std::uint64_t key) const;    ///< keys strictly below
  std::size_t size() const { return size_; }
  std::size_t bytes() const;

private:
  std::size_t block_of(std::uint64_t key) const;
  void recount();

  std::vector<std::vector<std::uint64_t>> blocks_;
  std::vector<std::uint64_t> first_;   ///< smallest key of each block
  std::vector<std::uint32_t> fenwick_; ///< 1-based prefix sums of block sizes
  std::size_t size_ = 0;
};

} // namespace ke
