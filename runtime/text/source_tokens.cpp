#include "runtime/text/source_tokens.hpp"

#include "runtime/text/source_lexer.hpp"

#include <algorithm>
#include <cctype>

namespace ke {
namespace {

/// A carriage return that ends no line ends one for some compilers, and so does a backslash with blanks
/// behind it join lines for some only; what a null byte does, nobody says.
bool is_ambiguous(std::string_view source, source_language language) {
  for (std::size_t at = 0; at < source.size(); ++at) {
    if (source[at] == '\0' || (source[at] == '\r' && source.substr(at + 1, 1) != "\n"))
      return true;
    if (source[at] != '\\' || language != source_language::cpp)
      continue;
    auto next = source.find_first_not_of(" \t\v\f", at + 1);
    if (next != at + 1 && next != source.npos && (source[next] == '\n' || source[next] == '\r'))
      return true;
  }
  return false;
}

/// Whether it is assembly or LLVM IR, as a candidate for a C++ backend may be: told by lines that such a text
/// must have.
bool is_below_cpp(std::string_view source) {
  while (!source.empty()) {
    auto end = std::min(source.find('\n'), source.size());
    auto line = source.substr(0, end);
    source.remove_prefix(std::min(end + 1, source.size()));
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    for (std::string_view word : {".globl", ".global", ".text", ".section", ".version", ".visible", ".entry",
                                  ";", "define", "target triple", "target datalayout"})
      if (line.starts_with(word) &&
          (line.size() == word.size() || std::isspace(static_cast<unsigned char>(line[word.size()]))))
        return true;
    if (line.find(".globl ") != line.npos || line.find(".globl\t") != line.npos)
      return true;
  }
  return false;
}

/// Up to where a token may be spliced: a raw literal's prefix only.
std::size_t spliced_bytes(const source_token& token, source_language language) {
  if (language != source_language::cpp || token.kind == source_token_kind::verbatim)
    return 0;
  auto quote = std::min(token.text.find('"'), token.text.size());
  auto raw =
      token.kind == source_token_kind::literal && token.text.substr(0, quote).find('R') != token.text.npos;
  return raw ? quote : token.text.size();
}

} // namespace

source_syntax::source_syntax(source_language of) : family{of} {
  if (of == source_language::cpp) {
    comments = {"//"};
    constant = "#define {name} {value}";
  } else if (of == source_language::python) {
    comments = {"#"};
    constant = "{name} = {value}";
  }
}

std::vector<source_token> tokens_of(std::string_view source, const source_syntax& syntax) {
  auto family = syntax.family;
  if (source.empty())
    return {};
  if ((family == source_language::other && syntax.comments.empty()) || is_ambiguous(source, family) ||
      (family == source_language::cpp && is_below_cpp(source)))
    return {{source_token_kind::verbatim, source, 1, true, true}};
  return family == source_language::python ? lexing::python_tokens(source)
         : family == source_language::cpp  ? lexing::cpp_tokens(source)
                                           : lexing::plain_tokens(source, syntax);
}

std::string spelling(const source_token& token, source_language language) {
  auto spliced = spliced_bytes(token, language);
  std::string text;
  text.reserve(token.text.size());
  for (std::size_t i = 0; i < token.text.size(); ++i) {
    auto c = token.text[i];
    if (c == '\n' && i < spliced && text.ends_with('\\'))
      text.pop_back();
    else if (c != '\r' || token.text.substr(i + 1, 1) != "\n")
      text += c;
  }
  return text;
}

} // namespace ke
