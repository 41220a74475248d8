#include "runtime/search/index/rank_index.hpp"

#include <algorithm>
#include <bit>

namespace ke {

namespace {
constexpr std::size_t block_size = 512;
}

std::uint64_t rank_key(double score, std::uint32_t node) {
  // Of non-negative floats, order is order of their bits.
  auto bits = std::bit_cast<std::uint32_t>(static_cast<float>(std::max(score, 0.0)));
  return std::uint64_t{bits} << 32 | static_cast<std::uint32_t>(~node);
}

std::size_t rank_index::block_of(std::uint64_t key) const {
  auto after = std::upper_bound(first_.begin(), first_.end(), key);
  return after == first_.begin() ? 0 : static_cast<std::size_t>(after - first_.begin()) - 1;
}

void rank_index::recount() {
  fenwick_.assign(blocks_.size() + 1, 0);
  for (std::size_t i = 1; i <= blocks_.size(); ++i) {
    fenwick_[i] += static_cast<std::uint32_t>(blocks_[i - 1].size());
    if (auto up = i + (i & -i); up <= blocks_.size())
      fenwick_[up] += fenwick_[i];
  }
}

void rank_index::insert(std::uint64_t key) {
  ++size_;
  if (blocks_.empty()) {
    blocks_.push_back({key});
    first_.push_back(key);
    return recount();
  }
  auto at = block_of(key);
  auto& block = blocks_[at];
  block.insert(std::lower_bound(block.begin(), block.end(), key), key);
  first_[at] = block.front();
  if (block.size() < block_size) {
    for (auto i = at + 1; i < fenwick_.size(); i += i & -i)
      ++fenwick_[i];
    return;
  }
  // The upper half stays with the block's memory; a run of rising scores then leaves full halves behind it,
  // not doubled capacities.
  std::vector<std::uint64_t> low(block.begin(), block.begin() + block_size / 2);
  block.erase(block.begin(), block.begin() + block_size / 2);
  first_[at] = block.front();
  first_.insert(first_.begin() + static_cast<std::ptrdiff_t>(at), low.front());
  blocks_.insert(blocks_.begin() + static_cast<std::ptrdiff_t>(at), std::move(low));
  recount();
}

void rank_index::assign(std::vector<std::uint64_t> keys) {
  std::sort(keys.begin(), keys.end());
  blocks_.clear();
  first_.clear();
  size_ = keys.size();
  for (std::size_t i = 0; i < keys.size(); i += block_size / 2) {
    auto end = std::min(i + block_size / 2, keys.size());
    blocks_.emplace_back(keys.begin() + static_cast<std::ptrdiff_t>(i),
                         keys.begin() + static_cast<std::ptrdiff_t>(end));
    first_.push_back(keys[i]);
  }
  recount();
}

std::size_t rank_index::rank(std::uint64_t key) const {
  if (blocks_.empty())
    return 0;
  auto at = block_of(key);
  std::size_t below = 0;
  for (auto i = at; i > 0; i -= i & -i)
    below += fenwick_[i];
  const auto& block = blocks_[at];
  return below + static_cast<std::size_t>(std::lower_bound(block.begin(), block.end(), key) - block.begin());
}

std::size_t rank_index::bytes() const {
  auto sum = first_.capacity() * 8 + fenwick_.capacity() * 4 +
             blocks_.capacity() * sizeof(decltype(blocks_)::value_type);
  for (const auto& b : blocks_)
    sum += b.capacity() * 8 + 16;
  return sum;
}

} // namespace ke
