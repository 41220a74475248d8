#include "runtime/text/source_text.hpp"

#include "runtime/core/digest.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

namespace ke {
namespace {

using kind = source_token_kind;

/// Whether the source sees what is not in its tokens: a macro's argument as a text (`#x`), a line's number.
bool sees_itself(const std::vector<source_token>& tokens, source_language language) {
  static constexpr std::array<std::string_view, 3> cpp{"__LINE__", "__builtin_LINE", "source_location"};
  static constexpr std::array<std::string_view, 6> python{"f_lineno",  "co_firstlineno", "tb_lineno",
                                                          "getsource", "getsourcelines", "linecache"};
  return std::any_of(tokens.begin(), tokens.end(), [&](const source_token& t) {
    if (language == source_language::python)
      return t.kind == kind::word && std::find(python.begin(), python.end(), t.text) != python.end();
    return t.is_mark("#") || t.is_mark("%:") ||
           (t.kind == kind::word && std::find(cpp.begin(), cpp.end(), spelling(t, language)) != cpp.end());
  });
}

/// A comment that a compiler may leave out.
bool is_idle(const source_token& t, const source_syntax& syntax) {
  return t.kind == kind::comment &&
         (syntax.declaration.empty() || t.text.find(syntax.declaration) == t.text.npos);
}

/// `#define F(x)` is not `#define F (x)`.
bool begins_parameters(const std::vector<source_token>& tokens, std::size_t at) {
  return at >= 3 && tokens[at].is_mark("(") && !tokens[at].spaced && tokens[at - 3].kind == kind::directive;
}

} // namespace

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

std::string_view trimmed(std::string_view text) {
  constexpr auto blank = " \t\r\n";
  auto begin = text.find_first_not_of(blank);
  return begin == text.npos ? std::string_view{}
                            : text.substr(begin, text.find_last_not_of(blank) - begin + 1);
}

std::string without_comments(std::string_view source, const source_syntax& syntax) {
  std::string text;
  std::size_t kept = 0;
  for (const auto& t : tokens_of(source, syntax))
    if (is_idle(t, syntax)) {
      auto begin = offset_in(source, t);
      text += source.substr(kept, begin - kept);
      kept = begin + t.text.size();
      if (syntax.family == source_language::cpp && t.text.ends_with("*/"))
        text += ' ';
    }
  return text += source.substr(kept);
}

std::string source_digest(std::string_view source, const source_syntax& syntax) {
  auto language = syntax.family;
  auto tokens = tokens_of(source, syntax);
  std::erase_if(tokens, [&](const source_token& t) { return is_idle(t, syntax); });
  if (sees_itself(tokens, language))
    tokens = {{kind::verbatim, source}};
  std::string said;
  said.reserve(source.size() + 2 * tokens.size());
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    auto text = tokens[i].kind == kind::line_end ? std::string{} : spelling(tokens[i], language);
    said += static_cast<char>('a' + static_cast<int>(tokens[i].kind));
    said += begins_parameters(tokens, i) ? "'" : "";
    said += std::to_string(text.size()) + ":" + text;
  }
  return digest_of(said);
}

} // namespace ke
