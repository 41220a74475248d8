#pragma once

#include "runtime/core/names.hpp"

#include <cstdint>

namespace ke {

/// How much a measurement may cost: `rank` for the search, `eval` for the command, `claim` for publication
/// (trust.md 2.5, 2.6).
enum class measure_plan : std::uint8_t { rank, eval, claim };
KE_NAMES(measure_plan, 3, "rank", "eval", "claim")

} // namespace ke
