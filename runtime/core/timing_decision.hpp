#pragma once

#include "runtime/core/names.hpp"

#include <cstdint>

namespace ke {

/// What a measurement says about a candidate's time against the baseline's; none: nothing, or not yet.
enum class timing_decision : std::uint8_t { none, faster, same, slower };
KE_NAMES(timing_decision, 4, "", "faster", "same", "slower")

} // namespace ke
