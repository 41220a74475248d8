#pragma once

#include "runtime/llm/prompt.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace ke {

/// The value and cost of one piece of a prompt. Values only order sections; the table is in
/// knowledge/prompt/prompt_builder.cpp.
struct weighed_section {
  prompt_section what;
  double value = 0;
  bool required = false; ///< without it an answer would be useless
};

/// Tokens of a text, estimated: a third of its bytes, rounded up. Code and prose have 3 to 4.5 bytes a token
/// with today's vocabularies, so this errs on the safe side, for any model's tokenizer.
std::uint64_t token_estimate(std::size_t bytes);
inline constexpr std::size_t bytes_of_token_estimate = 3;

/// Drops the least valuable optional sections (among equals the longest, then the last) until the rest has at
/// most `budget` tokens (0: no limit); the rest keeps its order. `prompt::dropped` names what was dropped. If
/// required sections alone exceed the budget, only they are left.
prompt fit_prompt(std::vector<weighed_section> sections, std::uint64_t budget);

} // namespace ke
