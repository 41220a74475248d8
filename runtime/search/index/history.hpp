#pragma once

#include "runtime/core/node_number.hpp"
#include "runtime/search/index/tree_index.hpp"

#include <vector>

namespace ke {

/// Gaining uncles that are shown: the best of the grandparent's newest children.
inline constexpr std::size_t most_uncles = 2, looked_at_uncles = 128;
inline constexpr std::size_t most_archived = 6; ///< of the tree's best that are shown

/// Earlier nodes that belong to a new node's past. A prompt shows those of its memory mode:
/// `shows_ancestors`; with `shows_siblings` also `uncles`; at most `most_ancestors`, `most_siblings` and
/// `most_uncles`.
struct history {
  std::vector<std::uint32_t> ancestors; ///< the parent's, nearest first, without the root
  std::vector<std::uint32_t> siblings;  ///< children of the parent that have ended, newest first
  /// Siblings of the parent that gained, too, best first. With many nodes in flight several do, and only one
  /// is built upon. None beside a draft.
  std::vector<std::uint32_t> uncles;
};

/// O(bounds + open children of the parent). `node` is left out of its siblings; no_node: it is not made yet.
history history_of(const tree_index& tree, std::uint32_t parent, std::uint32_t node = no_node);

/// The best of the whole tree, best first, but for the parent and what its history shows: `most_archived` at most. O(1).
std::vector<std::uint32_t> archive_beside(const tree_index& tree, std::uint32_t parent, const history& past);

} // namespace ke
