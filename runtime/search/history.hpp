#pragma once

#include "runtime/search/tree.hpp"

#include <vector>

namespace ke {

/// How much of the past a prompt can show.
inline constexpr std::size_t most_ancestors = 8, most_siblings = 12;

/// Which earlier nodes belong to a new node's past. A prompt shows of it what its memory mode says:
/// `shows_ancestors`, `shows_siblings`.
struct history {
  std::vector<std::uint32_t> ancestors; ///< the parent's, nearest first, without the root
  std::vector<std::uint32_t> siblings;  ///< children of the parent that have ended, newest first
};

/// O(bounds + open children of the parent). `node` itself is left out of its siblings; no_node: it is not
/// made yet.
history history_of(const tree_index& tree, std::uint32_t parent, std::uint32_t node = no_node);

constexpr bool shows_ancestors(memory_kind m) {
  return m == memory_kind::parent || m == memory_kind::parent_siblings || m == memory_kind::adaptive;
}
constexpr bool shows_siblings(memory_kind m) {
  return m == memory_kind::siblings || m == memory_kind::parent_siblings || m == memory_kind::adaptive;
}

} // namespace ke
