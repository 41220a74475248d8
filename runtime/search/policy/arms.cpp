#include "runtime/search/policy/arms.hpp"

#include <algorithm>

namespace ke {

namespace {
constexpr std::uint32_t saturated_bit = 0x80000000;

std::uint32_t puct_count(const tree_row& row) {
  return row.visits + row.in_flight;
}
} // namespace

std::uint32_t& arms::spot(std::uint32_t node) {
  node -= first_;
  if (node >= spots_.size()) {
    if (node >= spots_.capacity())
      // By an eighth: a million spots must not cost two million.
      spots_.reserve(std::max<std::size_t>(1024, node + node / 8 + 1));
    spots_.resize(node + 1, 0);
  }
  return spots_[node];
}

bool arms::here(std::uint64_t key, std::uint32_t spot) const {
  return spots_[node_of(key) - first_] == spot;
}

arms::standing arms::where(std::uint32_t node) const {
  if (node < first_ || node - first_ >= spots_.size() || !spots_[node - first_])
    return standing::none;
  return spots_[node - first_] & saturated_bit ? standing::saturated : standing::expandable;
}

void arms::join(std::uint64_t key, std::uint32_t spot) {
  auto& buckets = spot & saturated_bit ? saturated_ : expandable_;
  auto number = spot & ~saturated_bit;
  if (number >= buckets.size())
    buckets.resize(number + 1);
  auto& b = buckets[number];
  b.heap.push_back(key);
  std::push_heap(b.heap.begin(), b.heap.end());
  ++b.live;
}

void arms::leave(std::uint32_t spot) {
  auto& b = (spot & saturated_bit ? saturated_ : expandable_)[spot & ~saturated_bit];
  if (--b.live == 0)
    b = {};
  else if (b.heap.size() > 64 + b.live + b.live / 2)
    compact(b, spot);
}

void arms::place(std::uint32_t node, standing where, std::uint32_t k, double priority) {
  auto now = where == standing::none ? 0 : bucket_of(k) | (where == standing::saturated ? saturated_bit : 0);
  auto& at = spot(node);
  auto was = at;
  if (was == now || (was && now && (was & saturated_bit) == (now & saturated_bit) && was < now))
    return;
  at = now;
  if (was)
    leave(was);
  if (now)
    join(rank_key(priority, node), now);
}

/// Drops keys of nodes that have left, and the doubles of nodes that have come back.
void arms::compact(bucket& b, std::uint32_t spot) {
  std::erase_if(b.heap, [&](auto key) { return !here(key, spot); });
  std::sort(b.heap.begin(), b.heap.end(), std::greater<>{}); // sorted downwards is a heap, too
  b.heap.erase(std::unique(b.heap.begin(), b.heap.end()), b.heap.end());
  if (b.heap.capacity() > 2 * b.heap.size() + 64)
    b.heap.shrink_to_fit();
}

/// An upper bound of the standing of `key`, which lies in `b`.
double arms::at_most(const bucket& b, std::uint64_t key) const {
  return b.asked_key == key ? b.asked : 1;
}

/// R of `key`, now. Equal scores have equal ranks, so that the fresh ones of a plateau have their turn;
/// greedy search stays with the oldest.
double arms::standing_in(bucket& b, std::uint64_t key, double scale) const {
  b.asked_key = key;
  auto first_above = scale > 0 ? (key | 0xffffffff) + 1 : key + 1;
  b.asked = rank_worth(ranks_.size() - ranks_.rank(first_above));
  return b.asked;
}

/// Takes the highest of a bucket's keys away. One that is present has grown out of it; the number of its new
/// spot is larger, so a walk over the buckets still comes by. May move the buckets.
void arms::take_highest(bucket& b, bool present, std::uint32_t node, std::uint32_t to) {
  auto key = b.heap.front();
  std::pop_heap(b.heap.begin(), b.heap.end());
  b.heap.pop_back();
  if (!present)
    return;
  spots_[node - first_] = to;
  if (--b.live == 0)
    b = {};
  join(key, to);
}

std::optional<std::uint32_t> arms::best(const tree_index& tree, standing where, double scale) {
  std::optional<std::uint32_t> winner;
  double worth = -1;
  std::uint64_t highest = 0; // priority key seen so far; every real key is larger
  auto bit = where == standing::saturated ? saturated_bit : 0;
  auto& buckets = of(where);
  for (std::uint32_t number = 0; number < buckets.size(); ++number) {
    if (buckets[number].live == 0)
      continue;
    auto bonus = scale / (1.0 + count_of(number));
    if (winner && 1 + bonus <= worth)
      break;
    for (auto spot = number | bit; buckets[number].live > 0;) {
      auto& b = buckets[number];
      auto key = b.heap.front();
      if (key <= highest)
        break;
      if (at_most(b, key) + bonus <= worth) { // nor can a lower priority with a smaller bonus win
        highest = key;
        break;
      }
      auto node = node_of(key);
      auto present = here(key, spot);
      auto now = bucket_of(puct_count(tree[node]));
      if (present && now == number) {
        highest = key;
        if (auto w = standing_in(b, key, scale) + bonus; w > worth) {
          worth = w;
          winner = node;
        }
        break;
      }
      take_highest(b, present, node, now | bit);
    }
  }
  return winner;
}

std::size_t arms::bytes() const {
  auto sum = ranks_.bytes() + spots_.capacity() * sizeof(std::uint32_t);
  for (auto buckets : {&expandable_, &saturated_})
    for (const auto& b : *buckets)
      sum += b.heap.capacity() * 8 + sizeof b;
  return sum;
}

} // namespace ke
