#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

// What a source text is made of, as its own language sees it. Two candidates are one if a reader that does
// not know the language takes `7 // 2` for `7`, so everything that looks into a source does it through this.

namespace ke {

/// Languages that are read in the same way.
enum class source_language : std::uint8_t {
  other,  ///< nothing is known of it: a text counts as it stands
  cpp,    ///< C, C++, CUDA, HIP, OpenCL
  python, ///< and what is written in it: Triton, PyTorch
};

/// What has to be known of a language to read a source in it: a family of which everything is known, or
/// little marks of another one. A backend's manifest says it ([language]).
struct source_syntax {
  source_language family = source_language::other;
  /// What begins a comment that ends with its line; the first is used in what is written into a source.
  /// Empty: nothing counts as a comment.
  std::vector<std::string> comments;
  /// Of `other`: single characters, each of which begins and ends a text within a line.
  std::vector<std::string> quotes;
  /// The line that gives a template's constant its value: "#define {name} {value}". Empty: no templates.
  std::string constant;

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
  line_end, ///< where it means something: of a directive, of a logical line of Python. Its text may be empty
  indent,   ///< Python's structure; the text is empty
  dedent,
  verbatim, ///< counts as it stands: what is malformed or not understood, to its end; comments that Python
            ///< reads
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

/// The tokens of a source in their order; blanks and line ends that mean nothing are left out. Together with
/// them they are the whole text. Never fails: what a compiler may read in another way than this does is one
/// `verbatim` token, as is a whole source of a language without known comments, or one of a C++ backend that
/// is assembly or LLVM IR. Of family `other` each line is a `verbatim` token up to its comment; blank lines
/// and blanks at the end of a line are left out; from a line on whose texts can't be told (a backslash in a
/// text, one that does not end on its line) all is one token. The tokens are views into `source`. Pure; cost
/// O(text · marks).
std::vector<source_token> tokens_of(std::string_view source, const source_syntax& syntax);

/// A token's text without what does not count: line splices outside of raw literals, carriage returns before
/// line ends.
std::string spelling(const source_token& token, source_language language);

/// Where a token begins in the source that it is of.
inline std::size_t offset_in(std::string_view source, const source_token& token) {
  return static_cast<std::size_t>(token.text.data() - source.data());
}

} // namespace ke
