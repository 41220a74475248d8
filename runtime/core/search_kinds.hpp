#pragma once

#include "runtime/core/names.hpp"

#include <cstdint>

namespace ke {

enum class policy_kind : std::uint8_t { mcts, evolution, beam, greedy, best_of_n };
KE_NAMES(policy_kind, 5, "mcts", "evolution", "beam", "greedy", "best-of-n")
enum class ensemble_kind : std::uint8_t { weights, ucb, cost_ucb };
KE_NAMES(ensemble_kind, 3, "weights", "ucb", "cost-ucb")

} // namespace ke
