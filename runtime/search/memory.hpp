#pragma once

#include "runtime/search/tree.hpp"

namespace ke {

/// How long a tree may go without a gain before some of its prompts forget everything, and how often they do
/// so then.
inline constexpr std::uint32_t stagnation_window = 16; ///< finished candidates without a new best
inline constexpr std::uint32_t restart_interval = 4; ///< while stagnant: each fourth improvement starts clean

/// Since when a tree has not improved. Part of the fold.
struct stagnation {
  std::uint32_t finished_since_best = 0;
  std::uint32_t chosen_since_clean = 0;
};

/// What history a new node's prompt holds. A draft has none: first versions are independent samples.
/// Otherwise a fixed mode of the settings is taken as it is, and `adaptive` means:
///   fix       parent            the error message and the code that caused it matter, the siblings do not
///   improve   clean             each `restart_interval`-th time while the tree is stagnant: a restart
///   without memory brings diversity
///             parent+siblings   a child of this parent has ended: don't repeat what it tried
///             parent            otherwise
memory_kind choose_memory(memory_kind setting, operation_kind operation, const tree_row& parent,
                          const stagnation& s);

} // namespace ke
