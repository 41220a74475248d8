#pragma once

#include "runtime/core/names.hpp"

#include <cstdint>

namespace ke {

enum class policy_kind : std::uint8_t { mcts, evolution, beam, greedy, best_of_n };
KE_NAMES(policy_kind, 5, "mcts", "evolution", "beam", "greedy", "best-of-n")
enum class ensemble_kind : std::uint8_t { weights, ucb, cost_ucb };
KE_NAMES(ensemble_kind, 3, "weights", "ucb", "cost-ucb")
/// What tells the cells of `evolution`'s archive apart.
enum class cell_axis : std::uint8_t {
  kind,       ///< of the source: journal_replied::descriptor
  bottleneck, ///< of the diagnosis
  roofline,   ///< reached share of the machine's limit
  score,
};
KE_NAMES(cell_axis, 4, "kind", "bottleneck", "roofline", "score")
/// The form in which a change of a parent is asked for.
enum class answer_kind : std::uint8_t { any, edits, whole };
KE_NAMES(answer_kind, 3, "any", "edits", "whole")

} // namespace ke
