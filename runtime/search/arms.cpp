#include "runtime/search/arms.hpp"

#include <algorithm>

namespace ke {

namespace {
constexpr std::uint32_t closed_bit = 0x80000000;
}

std::uint32_t& arms::spot(std::uint32_t node) {
  if (node >= spots_.size()) {
    if (node >= spots_.capacity())
      spots_.reserve(std::max<std::size_t>(
          1024, node + node / 8 + 1)); // by an eighth: a million spots must not cost two million
    spots_.resize(node + 1, 0);
  }
  return spots_[node];
}

bool arms::here(std::uint64_t key, std::uint32_t spot) const {
  return spots_[node_of(key)] == spot;
}

arms::room arms::where(std::uint32_t node) const {
  if (node >= spots_.size() || !spots_[node])
    return room::none;
  return spots_[node] & closed_bit ? room::closed : room::open;
}

void arms::join(std::uint64_t key, std::uint32_t spot) {
  auto& b = (spot & closed_bit ? closed_ : open_)[spot & ~closed_bit];
  b.heap.push_back(key);
  std::push_heap(b.heap.begin(), b.heap.end());
  ++b.live;
}

void arms::place(std::uint32_t node, room where, std::uint32_t k, double merit) {
  auto now = where == room::none ? 0 : coarse(k) | (where == room::closed ? closed_bit : 0);
  auto& at = spot(node);
  auto was = at;
  if (was == now || (was && now && (was & closed_bit) == (now & closed_bit) && was < now))
    return;
  at = now;
  if (was) {
    auto& rooms = was & closed_bit ? closed_ : open_;
    auto b = rooms.find(was & ~closed_bit);
    if (--b->second.live == 0)
      rooms.erase(b);
    else if (b->second.heap.size() > 64 + b->second.live + b->second.live / 2)
      compact(b->second, was);
  }
  if (now)
    join(rank_key(merit, node), now);
}

/// Drops keys of nodes that have left, and the doubles of nodes that have come back.
void arms::compact(bucket& b, std::uint32_t spot) {
  std::erase_if(b.heap, [&](auto key) { return !here(key, spot); });
  std::sort(b.heap.begin(), b.heap.end(), std::greater<>{}); // sorted downwards is a heap, too
  b.heap.erase(std::unique(b.heap.begin(), b.heap.end()), b.heap.end());
  if (b.heap.capacity() > 2 * b.heap.size() + 64)
    b.heap.shrink_to_fit();
}

double arms::standing(std::uint64_t key) const {
  auto n = ranks_.size();
  auto below = ranks_.rank(key);
  if (n < 2)
    return n == 1 && (below == 1 || ranks_.rank(key + 1) == 1) ? 1 : 0;
  return std::min(1.0, static_cast<double>(below) / static_cast<double>(n - 1));
}

std::optional<std::uint32_t> arms::best(const tree_index& tree, room where, double scale) {
  std::optional<std::uint32_t> winner;
  double worth = -1;
  std::uint64_t highest = 0; // merit key seen so far; every real key is larger
  auto& rooms = of(where);
  for (auto i = rooms.begin(); i != rooms.end();) {
    auto& [k, b] = *i;
    auto bonus = scale / (1.0 + k);
    if (winner && 1 + bonus <= worth)
      break;
    auto bit = where == room::closed ? closed_bit : 0;
    while (b.live > 0 && b.heap.front() > highest) {
      auto key = b.heap.front();
      auto node = node_of(key);
      auto present = here(key, k | bit);
      const auto& row = tree[node];
      if (present && coarse(row.visits + row.in_flight) == k)
        break;
      std::pop_heap(b.heap.begin(), b.heap.end());
      b.heap.pop_back();
      if (present) { // it has grown out of this bucket; k is larger, so the loop still comes by
        --b.live;
        spots_[node] = coarse(row.visits + row.in_flight) | bit;
        join(key, spots_[node]);
      }
    }
    if (b.live == 0) {
      i = rooms.erase(i);
      continue;
    }
    if (b.heap.front() > highest) {
      highest = b.heap.front();
      auto w = standing(highest) + bonus;
      if (w > worth) {
        worth = w;
        winner = node_of(highest);
      }
    }
    ++i;
  }
  return winner;
}

std::size_t arms::bytes() const {
  auto sum = ranks_.bytes() + spots_.capacity() * sizeof(std::uint32_t);
  for (auto rooms : {&open_, &closed_})
    for (const auto& [k, b] : *rooms)
      sum += b.heap.capacity() * 8 + 80;
  return sum;
}

} // namespace ke
