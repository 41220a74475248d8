#pragma once

#include "runtime/search/tree.hpp"

#include <vector>

namespace ke {

/// Which earlier nodes belong to a new node's past. A prompt shows of it what its memory mode says:
/// `shows_ancestors`, `shows_siblings`; at most `most_ancestors` and `most_siblings` of them.
struct history {
  std::vector<std::uint32_t> ancestors; ///< the parent's, nearest first, without the root
  std::vector<std::uint32_t> siblings;  ///< children of the parent that have ended, newest first
};

/// O(bounds + open children of the parent). `node` itself is left out of its siblings; no_node: it is not
/// made yet.
history history_of(const tree_index& tree, std::uint32_t parent, std::uint32_t node = no_node);

} // namespace ke
