#pragma once

#include "backends/judge/secret_random.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ke {

/// Bounds of a layout, in bytes: tensors begin on a cache line, between red zones, with some random lines in
/// between.
inline constexpr std::size_t arena_line = 64, red_zone_bytes = 192, most_gap_lines = 16;

constexpr std::size_t rounded_up(std::size_t n, std::size_t to) {
  return (n + to - 1) / to * to;
}

/// Most bytes that a tensor takes with what lies around it.
constexpr std::size_t room_for(std::size_t tensor_bytes) {
  return rounded_up(tensor_bytes + 2 * red_zone_bytes, arena_line) + (most_gap_lines + 1) * arena_line;
}

/// What a layout is made for.
struct arena_shape {
  std::uint64_t first = 0;         ///< offset from which on there is room
  std::size_t slots = 0;           ///< sets of all tensors
  std::vector<std::size_t> bytes;  ///< per tensor
  std::vector<std::size_t> off_by; ///< per tensor: begins off a line, by an odd multiple of so much; 0: on it
};

/// Places at random distances, of slots in random order: offsets by slot and tensor. Each tensor takes
/// room_for its bytes at most.
std::vector<std::vector<std::uint64_t>> scattered_layout(const arena_shape& shape, random_source& random);

} // namespace ke
