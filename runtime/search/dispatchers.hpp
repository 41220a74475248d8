#pragma once

#include "runtime/search/tree.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ke {

/// A candidate that was put together from others of its tree when the search was over: its parents are the
/// first two of them. It asks no model, and costs no candidate of the budget.
inline bool is_dispatcher(const tree_row& row) {
  return row.operation == operation_kind::seed && row.parent != 0;
}

/// The right candidates of a tree that a dispatcher may be put together from, by falling score and then by
/// age, at most `most`: no dispatchers, no repetitions of others. O(nodes). Pure.
std::vector<std::uint32_t> dispatchable(const tree_index& tree, std::size_t most);

/// How many are looked at where every shape's best is asked for: their verdicts have to be read.
inline constexpr std::size_t most_dispatchable = 512;

} // namespace ke
