#include "runtime/core/source_text.hpp"

#include <algorithm>
#include <cctype>

namespace ke {

bool is_word(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_';
}

std::string_view trimmed(std::string_view text) {
  constexpr auto blank = " \t\r\n";
  auto begin = text.find_first_not_of(blank);
  return begin == text.npos ? std::string_view{}
                            : text.substr(begin, text.find_last_not_of(blank) - begin + 1);
}

std::string without_comments(std::string_view source, bool python) {
  std::string text;
  for (std::size_t i = 0; i < source.size();) {
    if (python ? source[i] == '#' : source.substr(i, 2) == "//") {
      i = std::min(source.find('\n', i), source.size());
    } else if (!python && source.substr(i, 2) == "/*") {
      auto end = source.find("*/", i + 2);
      i = end == source.npos ? source.size() : end + 2;
      text += ' ';
    } else if (source[i] == '"' || source[i] == '\'') {
      auto end = i + 1;
      while (end < source.size() && source[end] != source[i] && source[end] != '\n')
        end += source[end] == '\\' ? 2 : 1;
      end = std::min(end + 1, source.size());
      text.append(source.substr(i, end - i));
      i = end;
    } else {
      text += source[i++];
    }
  }
  return text;
}

} // namespace ke
