#pragma once

#include "runtime/text/source_tokens.hpp"

#include <string>
#include <string_view>

// Small pure functions on text that people, models and tools write. No locale.

namespace ke {

/// A letter, a digit or `_`.
bool is_word(char c);

/// Without leading and trailing blanks and line ends; a view into `text`.
std::string_view trimmed(std::string_view text);

/// The source without comments. Line ends outside of comments stay; a comment within a line becomes a blank
/// where the language needs one. Text not understood (tokens_of) and unclosed comments stay as they are.
std::string without_comments(std::string_view source, const source_syntax& syntax);

/// Digest of what a source says. Edits of comments, blank lines and meaningless blanks do not change it; all
/// others do. Text not understood counts as it stands, and so does a source that asks for its own text or
/// line numbers.
std::string source_digest(std::string_view source, const source_syntax& syntax);

} // namespace ke
