#pragma once

#include "runtime/llm/providers.hpp"

#include <string>

namespace ke {

/// The answers in a store, by (prompt digest, occurrence), for a `replay` model whose `dir` is a store. Reads
/// the store at the first look-up, on the provider's thread. An unreadable store has no answers.
replay_lookup recorded_answers(const std::string& store);

} // namespace ke
