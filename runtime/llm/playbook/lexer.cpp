#include "runtime/llm/playbook/lexer.hpp"

#include <array>
#include <cctype>
#include <sstream>

namespace ke::playbook {
namespace {

bool starts_name(char c) {
  return std::isalpha(static_cast<unsigned char>(c)) || c == '_';
}
bool digit(char c) {
  return std::isdigit(static_cast<unsigned char>(c));
}

constexpr std::array<std::string_view, 24> long_marks = {
    "<<=", ">>=", "...", "::", "++", "--", "+=", "-=", "*=", "/=", "%=", "&=",
    "|=",  "^=",  "<=",  ">=", "==", "!=", "&&", "||", "<<", ">>", "->", "##"};

void read_define(std::string_view line, token_list& out) {
  std::istringstream words{std::string{line}};
  std::string directive, name, value, more;
  words >> directive >> name >> value;
  if (directive == "#define" && !value.empty() && !(words >> more) && name.find('(') == std::string::npos)
    out.defines.emplace_back(name, value);
}

} // namespace

token_list tokenize(std::string_view source) {
  token_list out;
  int line = 1;
  bool fresh_line = true;
  std::size_t i = 0;
  auto push = [&](token_kind kind, std::size_t begin) {
    out.tokens.push_back({kind, std::string{source.substr(begin, i - begin)}, line});
    fresh_line = false;
  };
  while (i < source.size()) {
    char c = source[i];
    if (c == '\n') {
      ++line;
      ++i;
      fresh_line = true;
    } else if (std::isspace(static_cast<unsigned char>(c))) {
      ++i;
    } else if (source.substr(i, 2) == "//") {
      while (i < source.size() && source[i] != '\n')
        ++i;
    } else if (source.substr(i, 2) == "/*") {
      auto end = source.find("*/", i + 2);
      end = end == std::string_view::npos ? source.size() : end + 2;
      for (; i < end; ++i)
        line += source[i] == '\n';
    } else if (c == '#' && fresh_line) {
      auto begin = i;
      while (i < source.size() && (source[i] != '\n' || source[i - 1] == '\\')) {
        line += source[i] == '\n';
        ++i;
      }
      read_define(source.substr(begin, i - begin), out);
    } else if (starts_name(c)) {
      auto begin = i;
      while (i < source.size() && (starts_name(source[i]) || digit(source[i])))
        ++i;
      push(token_kind::identifier, begin);
    } else if (digit(c) || (c == '.' && i + 1 < source.size() && digit(source[i + 1]))) {
      auto begin = i;
      while (i < source.size() &&
             (std::isalnum(static_cast<unsigned char>(source[i])) || source[i] == '.' || source[i] == '\'' ||
              ((source[i] == '+' || source[i] == '-') &&
               (source[i - 1] == 'e' || source[i - 1] == 'E' || source[i - 1] == 'p'))))
        ++i;
      push(token_kind::number, begin);
    } else if (c == '"' || c == '\'') {
      auto begin = i++;
      while (i < source.size() && source[i] != c && source[i] != '\n')
        i += source[i] == '\\' ? 2 : 1;
      i = std::min(i + 1, source.size());
      push(token_kind::text, begin);
    } else {
      auto begin = i++;
      for (auto mark : long_marks)
        if (source.substr(begin, mark.size()) == mark) {
          i = begin + mark.size();
          break;
        }
      push(token_kind::mark, begin);
    }
  }
  out.tokens.push_back({token_kind::end, "", line});
  return out;
}

} // namespace ke::playbook
