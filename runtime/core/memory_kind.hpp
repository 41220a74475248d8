#pragma once

#include "runtime/core/names.hpp"

#include <cstddef>
#include <cstdint>

namespace ke {

enum class memory_kind : std::uint8_t { parent, siblings, parent_siblings, clean, adaptive };
KE_NAMES(memory_kind, 5, "parent", "siblings", "parent+siblings", "clean", "adaptive")
/// What a prompt shows of the past, and at most how much of it.
constexpr bool shows_ancestors(memory_kind m) {
  return m == memory_kind::parent || m == memory_kind::parent_siblings || m == memory_kind::adaptive;
}
constexpr bool shows_siblings(memory_kind m) {
  return m == memory_kind::siblings || m == memory_kind::parent_siblings || m == memory_kind::adaptive;
}
inline constexpr std::size_t most_ancestors = 8, most_siblings = 12;

} // namespace ke
