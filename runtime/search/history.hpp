#pragma once

#include "runtime/search/tree.hpp"

#include <vector>

namespace ke {

/// Of the gains beside the parent, so many are shown: the best of the grandparent's newest children.
inline constexpr std::size_t most_beside = 2, looked_at_beside = 128;

/// Which earlier nodes belong to a new node's past. A prompt shows of it what its memory mode says:
/// `shows_ancestors`; with `shows_siblings` also `beside`; at most `most_ancestors`, `most_siblings` and
/// `most_beside` of them.
struct history {
  std::vector<std::uint32_t> ancestors; ///< the parent's, nearest first, without the root
  std::vector<std::uint32_t> siblings;  ///< children of the parent that have ended, newest first
  /// Siblings of the parent that gained, too, best first: with many nodes in flight several of one parent
  /// do, only one of which is built upon. None beside a draft.
  std::vector<std::uint32_t> beside;
};

/// O(bounds + open children of the parent). `node` itself is left out of its siblings; no_node: it is not
/// made yet.
history history_of(const tree_index& tree, std::uint32_t parent, std::uint32_t node = no_node);

} // namespace ke
