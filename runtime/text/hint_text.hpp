#pragma once

#include <cstddef>

namespace ke {

/// Bytes of a person's hint that a prompt shows (knowledge/prompt/prompt_history.cpp). A longer hint is
/// refused when given, so that nothing is lost in silence.
inline constexpr std::size_t most_hint_bytes = 2000;

} // namespace ke
