#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// A source text as its own language sees it. A reader without the language takes `7 // 2` for `7` and two
// candidates for one, so everything that looks into a source does it through this.

namespace ke {

/// Languages that are read in the same way.
enum class source_language : std::uint8_t {
  other,  ///< nothing is known of it: a text counts as it stands
  cpp,    ///< C, C++, CUDA, HIP, OpenCL
  python, ///< and what is written in it: Triton, PyTorch
};

/// What a reader must know of a source's language: a family of which everything is known, or a few marks of
/// another language. A backend's manifest says it ([language]).
struct source_syntax {
  source_language family = source_language::other;
  /// Marks that begin a comment up to the line's end. Comments that we write use the first one. Empty:
  /// nothing counts as a comment.
  std::vector<std::string> comments;
  /// Of `other`: characters; each begins and ends a text within a line.
  std::vector<std::string> quotes;
  /// The line that gives a template's constant its value: "#define {name} {value}". Empty: no templates.
  std::string constant;
  /// A comment that holds this counts as code does: it declares what the code does not say. Empty: none.
  std::string declaration;

  source_syntax() = default;
  /// The family's own marks; of `other` none.
  source_syntax(source_language of);

  friend bool operator==(const source_syntax&, const source_syntax&) = default;
};

enum class source_token_kind : std::uint8_t {
  word,      ///< a name or a keyword
  number,    ///< with its signs and separators
  literal,   ///< text, character or header name, with its prefix, suffix and quotes
  mark,      ///< an operator or punctuation, as long as the language has it
  directive, ///< the `#` that begins a preprocessor's line
  comment,
  line_end, ///< where it means something: of a directive, of Python's logical line; may be empty
  indent,   ///< Python's structure; the text is empty
  dedent,
  /// Counts as it stands: malformed text and text that is not understood, to the end; comments that Python
  /// reads.
  verbatim,
};

struct source_token {
  source_token_kind kind;
  std::string_view text;  ///< a piece of the source, line splices included
  std::uint32_t line = 1; ///< on which it begins, from 1
  bool spaced = false;    ///< a blank, a comment or a line end is before it
  bool first = false;     ///< nothing but blanks is before it on its line

  bool is(source_token_kind k, std::string_view t) const { return kind == k && text == t; }
  bool is_mark(std::string_view t) const { return is(source_token_kind::mark, t); }
  bool is_word(std::string_view t) const { return is(source_token_kind::word, t); }
};

/// The tokens of a source in order, without meaningless blanks and line ends; with these they are the whole
/// text. Never fails. Text that a compiler may read differently becomes one `verbatim` token; so does a
/// source of a language without known comments, and assembly or LLVM IR of a C++ backend. In family `other`
/// each line up to a comment is a `verbatim` token; blank lines and trailing blanks are left out. A text with
/// a backslash, or without an end on its line, is unclear: from that line on the rest is one token. The
/// tokens are views into `source`. Pure; O(text · marks).
std::vector<source_token> tokens_of(std::string_view source, const source_syntax& syntax);

/// A token's text without line splices (they stay in raw literals) and without carriage returns before line
/// ends.
std::string spelling(const source_token& token, source_language language);

/// The offset of a token in its source.
inline std::size_t offset_in(std::string_view source, const source_token& token) {
  return static_cast<std::size_t>(token.text.data() - source.data());
}

} // namespace ke
