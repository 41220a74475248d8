#include "backends/judge/extents.hpp"

#include <iterator>

namespace ke {
namespace {

constexpr std::int64_t shortest_vector = 4, longest_vector = 16, block = 64;

template <std::size_t N>
std::int64_t one_of(const std::int64_t (&values)[N], random_source& random) {
  return values[random.below(N)];
}

/// 1, 3, 5... below `bound`.
std::int64_t odd_below(std::int64_t bound, random_source& random) {
  return 1 + 2 * static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(bound / 2)));
}

} // namespace

bool is_of(extent_kind kind, std::int64_t value, const extent_range& range) {
  switch (kind) {
  case extent_kind::least:
    return value == range.least;
  case extent_kind::below_vector:
    return value > 1 && value < longest_vector && value % shortest_vector != 0;
  case extent_kind::above_vector:
    return value > longest_vector && value < block && value % shortest_vector != 0;
  case extent_kind::above_block:
    return value > block && value % longest_vector != 0;
  case extent_kind::beyond:
    return value > range.largest_timed;
  }
  return false;
}

std::int64_t draw(extent_kind kind, const extent_range& range, random_source& random) {
  switch (kind) {
  case extent_kind::least:
    return range.least;
  case extent_kind::below_vector:
    return one_of({2, 3, 5, 6, 7, 11, 13, 15}, random);
  case extent_kind::above_vector:
    return one_of({16, 32}, random) + odd_below(16, random);
  case extent_kind::above_block:
    return one_of({64, 128, 256}, random) + odd_below(64, random);
  case extent_kind::beyond:
    return range.largest_timed + 1 +
           static_cast<std::int64_t>(random.below(static_cast<std::uint64_t>(range.largest_timed) + 1));
  }
  return range.least;
}

} // namespace ke
