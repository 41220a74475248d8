#pragma once

#include "runtime/search/index/tree_index.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ke {

/// A candidate put together after the search from others of one tree. The first two of them are the parents.
/// Asks no model, costs no candidate of the budget.
inline bool is_dispatcher(const tree_row& row) {
  return row.operation == operation_kind::seed && row.parent != 0;
}

/// Correct candidates that a dispatcher may be put together from, at most `most`, by falling score, then by
/// age. Leaves out dispatchers and duplicates. O(nodes). Pure.
std::vector<std::uint32_t> dispatchable(const tree_index& tree, std::size_t most);

/// How many are considered for the best of every shape; each one's verdict has to be read.
inline constexpr std::size_t most_dispatchable = 512;

} // namespace ke
