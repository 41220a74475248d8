#include "backends/judge/arena_layout.hpp"

#include <numeric>

namespace ke {

std::vector<std::vector<std::uint64_t>> scattered_layout(const arena_shape& shape, random_source& random) {
  std::vector<std::vector<std::uint64_t>> offsets(shape.slots,
                                                  std::vector<std::uint64_t>(shape.bytes.size()));
  std::vector<std::uint32_t> order(shape.slots);
  std::iota(order.begin(), order.end(), 0u);
  random.shuffle(order);
  std::uint64_t next = shape.first;
  for (auto s : order)
    for (std::size_t t = 0; t < shape.bytes.size(); ++t) {
      next = rounded_up(next + red_zone_bytes, arena_line) + random.below(most_gap_lines) * arena_line;
      if (auto size = shape.off_by[t]; size != 0)
        next += (1 + 2 * random.below(arena_line / size / 2)) * size; // odd: aligned to nothing larger
      offsets[s][t] = next;
      next += shape.bytes[t] + red_zone_bytes;
    }
  return offsets;
}

} // namespace ke
