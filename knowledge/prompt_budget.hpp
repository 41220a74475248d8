#pragma once

#include "runtime/llm/prompt.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace ke {

/// What one piece of a prompt is worth, and what it costs. Values only order sections among each other;
/// knowledge/prompt.cpp has them in one table.
struct weighed_section {
  prompt_section what;
  double value = 0;
  bool required = false; ///< an answer would be useless without it
};

/// Tokens that a text may have: a third of its bytes, rounded up. Code and prose have 3 to 4.5 bytes a token
/// with today's vocabularies, so this errs on the safe side; it depends on no model's tokenizer.
std::uint64_t token_estimate(std::size_t bytes);
inline constexpr std::size_t bytes_of_token_estimate = 3;

/// Drops the least valuable sections that are not required (among equals the longest, then the last) until
/// the rest has at most `budget` tokens (0: no limit), and keeps the order of what stays. What was dropped
/// is named in `prompt::dropped`. Required sections alone may exceed the budget: then they are all that is
/// left.
prompt fit_prompt(std::vector<weighed_section> sections, std::uint64_t budget);

} // namespace ke
