#pragma once

#include "runtime/llm/providers.hpp"

#include <string>

namespace ke {

/// The answers that a store holds, keyed by (prompt digest, occurrence): what a `replay` model whose `dir` is
/// a store plays. Reads the store at the first look-up, on the provider's thread. A store that can't be read
/// has no answers.
replay_lookup recorded_answers(const std::string& store);

} // namespace ke
