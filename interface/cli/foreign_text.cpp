#include "interface/cli/foreign_text.hpp"

#include "interface/cli/figures.hpp"

#include <algorithm>
#include <cctype>
#include <cstring>

namespace ke::cli {
namespace {

bool is_plain(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) != 0 || (c != '\0' && std::strchr("-_=,.+/:@%", c));
}

bool is_control(char c) {
  return static_cast<unsigned char>(c) < ' ' || c == 0x7f;
}

} // namespace

std::string shell_word(std::string_view text) {
  text = text.substr(0, text.find_first_of(std::string_view{"\n\r\0", 3}));
  if (!text.empty() && std::all_of(text.begin(), text.end(), is_plain))
    return std::string{text};
  std::string out{"'"};
  for (char c : text)
    out += c == '\'' ? std::string{"'\\''"} : std::string{c};
  return out + "'";
}

std::string recipe_word(std::string_view text) {
  std::string out;
  for (char c : shell_word(text))
    out += c == '$' ? std::string{"$$"} : std::string{c};
  return out;
}

std::string markdown_cell(std::string_view text, std::size_t most) {
  std::string out;
  for (char c : first_line(std::string{text}, most)) {
    if (is_control(c))
      out += '?';
    else if (c == '&')
      out += "&amp;";
    else if (c == '<')
      out += "&lt;";
    else if (c == '>')
      out += "&gt;";
    else if (c != '\0' && std::strchr("\\`*_{}[]()#|!~$", c))
      out += std::string{"\\"} + c;
    else
      out += c;
  }
  return out;
}

} // namespace ke::cli
