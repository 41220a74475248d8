#include "runtime/search/policy/arms.hpp"

#include <algorithm>

namespace ke {

namespace {
constexpr std::uint32_t closed_bit = 0x80000000;

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

arms::room arms::where(std::uint32_t node) const {
  if (node < first_ || node - first_ >= spots_.size() || !spots_[node - first_])
    return room::none;
  return spots_[node - first_] & closed_bit ? room::closed : room::open;
}

void arms::join(std::uint64_t key, std::uint32_t spot) {
  auto& rooms = spot & closed_bit ? closed_ : open_;
  auto number = spot & ~closed_bit;
  if (number >= rooms.size())
    rooms.resize(number + 1);
  auto& b = rooms[number];
  b.heap.push_back(key);
  std::push_heap(b.heap.begin(), b.heap.end());
  ++b.live;
}

void arms::leave(std::uint32_t spot) {
  auto& b = (spot & closed_bit ? closed_ : open_)[spot & ~closed_bit];
  if (--b.live == 0)
    b = {};
  else if (b.heap.size() > 64 + b.live + b.live / 2)
    compact(b, spot);
}

void arms::place(std::uint32_t node, room where, std::uint32_t k, double priority) {
  auto now = where == room::none ? 0 : bucket_of(k) | (where == room::closed ? closed_bit : 0);
  auto& at = spot(node);
  auto was = at;
  if (was == now || (was && now && (was & closed_bit) == (now & closed_bit) && was < now))
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

std::optional<std::uint32_t> arms::best(const tree_index& tree, room where, double scale) {
  std::optional<std::uint32_t> winner;
  double worth = -1;
  std::uint64_t highest = 0; // priority key seen so far; every real key is larger
  auto bit = where == room::closed ? closed_bit : 0;
  auto& rooms = of(where);
  for (std::uint32_t number = 0; number < rooms.size(); ++number) {
    if (rooms[number].live == 0)
      continue;
    auto bonus = scale / (1.0 + count_of(number));
    if (winner && 1 + bonus <= worth)
      break;
    for (auto spot = number | bit; rooms[number].live > 0;) {
      auto& b = rooms[number];
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
      std::pop_heap(b.heap.begin(), b.heap.end());
      b.heap.pop_back();
      if (present) { // it has grown out of this bucket; its number is larger, so the loop still comes by
        spots_[node - first_] = now | bit;
        if (--b.live == 0)
          b = {};
        join(key, now | bit); // may move the buckets
      }
    }
  }
  return winner;
}

std::size_t arms::bytes() const {
  auto sum = ranks_.bytes() + spots_.capacity() * sizeof(std::uint32_t);
  for (auto rooms : {&open_, &closed_})
    for (const auto& b : *rooms)
      sum += b.heap.capacity() * 8 + sizeof b;
  return sum;
}

} // namespace ke
