#pragma once

#include <algorithm>
#include <cstdint>

namespace ke {

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

} // namespace ke
