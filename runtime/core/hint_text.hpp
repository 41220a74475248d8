#pragma once

#include <cstddef>

namespace ke {

/// Bytes of a person's hint that a prompt shows (knowledge/prompt_history.cpp); a longer one is refused where
/// it is given, so that nothing of it is lost in silence.
inline constexpr std::size_t most_hint_bytes = 2000;

} // namespace ke
