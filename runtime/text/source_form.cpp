#include "runtime/text/source_form.hpp"

#include "runtime/core/digest.hpp"
#include "runtime/text/source_text.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <vector>

namespace ke {
namespace {

using kind = source_token_kind;
using name_set = std::set<std::string_view>;
using token_list = std::vector<source_token>;

/// Never names of variables, and no types before one.
constexpr std::array<std::string_view, 86> cpp_keywords{
    "alignas",  "alignof",  "and",      "and_eq",       "asm",       "bitand",        "bitor",
    "break",    "case",     "catch",    "class",        "co_await",  "co_return",     "co_yield",
    "compl",    "concept",  "const",    "consteval",    "constexpr", "constinit",     "continue",
    "decltype", "default",  "delete",   "do",           "else",      "enum",          "explicit",
    "export",   "extern",   "false",    "final",        "for",       "friend",        "goto",
    "if",       "import",   "inline",   "long",         "module",    "mutable",       "namespace",
    "new",      "noexcept", "not",      "not_eq",       "nullptr",   "operator",      "or",
    "or_eq",    "override", "private",  "protected",    "public",    "register",      "requires",
    "return",   "short",    "signed",   "sizeof",       "static",    "static_assert", "struct",
    "switch",   "template", "this",     "thread_local", "throw",     "true",          "try",
    "typedef",  "typeid",   "typename", "union",        "unsigned",  "using",         "virtual",
    "void",     "volatile", "while",    "wchar_t",      "xor",       "xor_eq",        "char8_t",
    "char16_t", "char32_t"};
constexpr std::array<std::string_view, 6> cpp_values{"float", "double", "int", "char", "bool", "auto"};

/// What may stand before `*` or `&` in a declaration and never in a product.
constexpr std::array<std::string_view, 19> cpp_pointed{
    "float",   "double",   "int",      "char",     "bool",    "auto",    "void",
    "const",   "unsigned", "long",     "size_t",   "int8_t",  "int16_t", "int32_t",
    "int64_t", "uint8_t",  "uint16_t", "uint32_t", "uint64_t"};

/// A source that holds one of these may look at its own names.
constexpr std::array<std::string_view, 16> python_mirrors{
    "locals",  "globals", "vars",     "exec",      "eval",           "dir",       "getattr",  "setattr",
    "inspect", "global",  "nonlocal", "getsource", "getsourcelines", "linecache", "f_locals", "__code__"};

template <class List>
bool is_among(const List& all, std::string_view word) {
  return std::find(all.begin(), all.end(), word) != all.end();
}

bool opens(const source_token& t) {
  return t.is_mark("(") || t.is_mark("[") || t.is_mark("{");
}
bool closes(const source_token& t) {
  return t.is_mark(")") || t.is_mark("]") || t.is_mark("}");
}

/// Words of a text, as `%[acc]` and `{acc}` name variables.
void add_words(std::string_view text, name_set& to) {
  for (std::size_t i = 0; i < text.size();) {
    auto begin = i;
    while (i < text.size() && (is_word(text[i]) || static_cast<unsigned char>(text[i]) >= 0x80))
      ++i;
    if (i > begin)
      to.insert(text.substr(begin, i - begin));
    else
      ++i;
  }
}

/// Names that somebody besides the source's own code may read: members, functions, words of texts and of
/// directives.
name_set seen_outside(const token_list& tokens, const source_syntax& syntax) {
  name_set seen;
  std::uint32_t directive = 0; ///< nonzero: within one
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const auto& t = tokens[i];
    if (t.kind == kind::directive)
      directive = t.line;
    else if (t.kind == kind::line_end)
      directive = 0;
    auto declares = t.kind == kind::comment && !syntax.declaration.empty() &&
                    t.text.find(syntax.declaration) != t.text.npos;
    if (t.kind == kind::literal || declares)
      add_words(t.text, seen);
    if (t.kind != kind::word)
      continue;
    auto before = i > 0 ? &tokens[i - 1] : nullptr;
    auto after = i + 1 < tokens.size() ? &tokens[i + 1] : nullptr;
    auto member = before && (before->is_mark(".") || before->is_mark("->") || before->is_mark("::") ||
                             before->is_mark(".*") || before->is_mark("->*"));
    auto called = after && (after->is_mark("(") || after->is_mark("::"));
    if (directive > 0 || member || called)
      seen.insert(t.text);
  }
  return seen;
}

/// `float acc = `, `const float* x,`: the name at `i` is declared by what stands around it.
bool declares_cpp(const token_list& tokens, std::size_t i) {
  constexpr std::array<std::string_view, 7> followers{"=", ";", ",", ")", "[", "{", ":"};
  if (is_among(cpp_keywords, tokens[i].text) || is_among(cpp_values, tokens[i].text) ||
      i + 1 >= tokens.size() || tokens[i + 1].kind != kind::mark || !is_among(followers, tokens[i + 1].text))
    return false;
  auto at = i;
  while (at > 0 && (tokens[at - 1].is_mark("*") || tokens[at - 1].is_mark("&")))
    --at;
  if (at == 0 || tokens[at - 1].kind != kind::word)
    return false;
  auto type = tokens[at - 1].text;
  return at == i ? is_among(cpp_values, type) || !is_among(cpp_keywords, type) : is_among(cpp_pointed, type);
}

/// Names that a function of the source declares before they are used.
name_set own_names_cpp(const token_list& tokens) {
  name_set known, own;
  std::size_t depth = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const auto& t = tokens[i];
    if (opens(t))
      ++depth;
    else if (closes(t) && depth > 0)
      --depth;
    if (t.kind != kind::word)
      continue;
    if (t.text == "extern" && !(i + 1 < tokens.size() && tokens[i + 1].kind == kind::literal))
      return {}; // its names are another's
    if (known.insert(t.text).second && depth > 0 && declares_cpp(tokens, i))
      own.insert(t.text);
  }
  return own;
}

/// Names that a Python function assigns (`acc = ...` on a line of its own, `for i in`) before they are used.
name_set own_names_python(const token_list& tokens) {
  name_set known, own, others;
  std::vector<bool> in_function; ///< of each block
  auto header = std::string_view{};
  std::size_t nested = 0;
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    const auto& t = tokens[i];
    if (t.kind == kind::indent)
      in_function.push_back(header == "def" ||
                            (header != "class" && !in_function.empty() && in_function.back()));
    else if (t.kind == kind::dedent && !in_function.empty())
      in_function.pop_back();
    nested += opens(t);
    nested -= closes(t) && nested > 0;
    if (t.kind != kind::word)
      continue;
    if (is_among(python_mirrors, t.text))
      return {};
    auto before = i > 0 ? tokens[i - 1].kind : kind::line_end;
    auto begins =
        nested == 0 && (before == kind::line_end || before == kind::indent || before == kind::dedent);
    if (begins)
      header = t.text;
    auto assigned = i + 1 < tokens.size() && tokens[i + 1].is_mark("=");
    auto looped = i > 0 && tokens[i - 1].is_word("for") && nested == 0;
    auto inside = !in_function.empty() && in_function.back();
    if ((assigned && nested > 0) || !inside)
      others.insert(t.text); // of a call; of the module or of a class
    if (known.insert(t.text).second && inside && ((begins && assigned) || looped))
      own.insert(t.text);
  }
  std::erase_if(own, [&](auto name) { return others.contains(name); });
  return own;
}

name_set own_names(const token_list& tokens, const source_syntax& syntax) {
  auto language = syntax.family;
  if (std::any_of(tokens.begin(), tokens.end(), [&](const auto& t) {
        // Text that is not understood, stringified arguments, names with line splices.
        return t.kind == kind::verbatim ||
               (language == source_language::cpp && (t.is_mark("#") || t.is_mark("##") || t.is_mark("%:"))) ||
               (t.kind == kind::word && t.text.find('\\') != t.text.npos);
      }))
    return {};
  auto own = language == source_language::python ? own_names_python(tokens) : own_names_cpp(tokens);
  auto seen = seen_outside(tokens, syntax);
  std::erase_if(own, [&](auto name) { return seen.contains(name); });
  return own;
}

} // namespace

std::string form_digest(std::string_view source, const source_syntax& syntax) {
  auto plain = source_digest(source, syntax);
  if (syntax.family == source_language::other)
    return plain;
  auto tokens = tokens_of(source, syntax);
  auto own = own_names(tokens, syntax);
  if (own.empty() || source.find("_own") != source.npos)
    return plain;
  std::map<std::string_view, std::string> called; ///< by order of appearance
  std::string text;
  std::size_t kept = 0;
  for (const auto& t : tokens) {
    if (t.kind != kind::word || !own.contains(t.text))
      continue;
    auto begin = offset_in(source, t);
    auto& name = called[t.text];
    if (name.empty())
      name = std::to_string(called.size());
    text.append(source.substr(kept, begin - kept)) += "_own" + name + "_";
    kept = begin + t.text.size();
  }
  text += source.substr(kept);
  return digest_of_parts({"form", source_digest(text, syntax)});
}

} // namespace ke
