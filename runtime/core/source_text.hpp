#pragma once

#include <string>
#include <string_view>

// Small pure functions on text that people, models and tools write. No locale.

namespace ke {

/// A letter, a digit or `_`.
bool is_word(char c);

/// Without blanks and line ends around it; a view into `text`.
std::string_view trimmed(std::string_view text);

/// The source without its comments: of C and its kin, or of Python. Line ends stay; a block comment leaves a
/// blank, as the language says. What looks like a comment within a literal of one line is none.
std::string without_comments(std::string_view source, bool python);

} // namespace ke
