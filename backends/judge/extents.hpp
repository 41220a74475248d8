#pragma once

#include "backends/judge/secret_random.hpp"

#include <cstdint>
#include <string_view>

namespace ke {

/// Extents for which a kernel is often written, or not. In every judgement each symbol that may move meets
/// one of each kind, if the problem's shapes have such a value.
///   least                        the smallest one
///   below_vector                 less than a vector
///   above_vector, above_block    some vectors, or blocks, and a rest
///   beyond                       more than in any timed workload
enum class extent_kind : std::uint8_t { least, below_vector, above_vector, above_block, beyond };
inline constexpr extent_kind extent_kinds[] = {extent_kind::least, extent_kind::below_vector,
                                               extent_kind::above_vector, extent_kind::above_block,
                                               extent_kind::beyond};

/// Of one symbol: its smallest allowed value, and the largest of the timed workloads.
struct extent_range {
  std::int64_t least = 1, largest_timed = 1;
};

/// Pure.
bool is_of(extent_kind kind, std::int64_t value, const extent_range& range);

/// A value of that kind. The problem's promises may exclude it: the caller fits it and asks again.
std::int64_t draw(extent_kind kind, const extent_range& range, random_source& random);

} // namespace ke
