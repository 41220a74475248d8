#include "knowledge/prompt/quote.hpp"

#include <algorithm>
#include <charconv>
#include <cstdio>

namespace ke {

std::string_view head(std::string_view text, std::size_t limit) {
  if (text.size() <= limit)
    return text;
  while (limit > 0 && (static_cast<unsigned char>(text[limit]) & 0xc0) == 0x80)
    --limit;
  return text.substr(0, limit);
}

std::string in_line(std::string_view text) {
  std::string line{head(text, 400)};
  for (auto& c : line)
    if (static_cast<unsigned char>(c) < 0x20)
      c = ' ';
    else if (c == '`')
      c = '\'';
  return "`" + line + "`";
}

std::string quoted(std::string_view text, std::size_t limit, std::string_view language) {
  std::string body{head(text, limit)};
  for (auto at = body.find("```"); at != std::string::npos; at = body.find("```", at + 3))
    body.replace(at, 3, "'''");
  auto cut = body.size() < text.size();
  auto end = cut ? "\n[cut]\n```\n" : body.ends_with('\n') ? "```\n" : "\n```\n";
  return "```" + std::string{language} + "\n" + body + end;
}

std::string fenced(const std::string& language, std::string_view source) {
  std::size_t longest = 2, run = 0;
  for (auto c : source) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  std::string fence(longest + 1, '`');
  return fence + language + "\n" + std::string{source} + (source.ends_with('\n') ? "" : "\n") + fence + "\n";
}

std::string short_number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", x);
  return text;
}

std::string exact_number(double x) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, x).ptr};
}

} // namespace ke
