#pragma once

#include "runtime/core/source_tokens.hpp"

#include <string>
#include <string_view>

// Small pure functions on text that people, models and tools write. No locale.

namespace ke {

/// A letter, a digit or `_`.
bool is_word(char c);

/// Without blanks and line ends around it; a view into `text`.
std::string_view trimmed(std::string_view text);

/// The source without its comments. Line ends stay, but those within a comment; a comment within a line
/// leaves a blank where the language has such. What is not understood (tokens_of) stays as it is, and so does
/// a comment that is never closed.
std::string without_comments(std::string_view source, const source_syntax& syntax);

/// Digest of what a source says: equal for edits of comments, blank lines and blanks that mean nothing in its
/// language, another one for every other edit. What is not understood counts as it stands, and so does a
/// whole source that asks for its own text or line numbers.
std::string source_digest(std::string_view source, const source_syntax& syntax);

} // namespace ke
