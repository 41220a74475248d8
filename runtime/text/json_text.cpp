#include "runtime/text/json_text.hpp"

#include <algorithm>
#include <cstdint>

namespace ke {
namespace {

/// Length of the valid UTF-8 sequence at the start of `text` (RFC 3629: no overlong forms, no surrogates), or
/// 0.
std::size_t sequence(std::string_view text) {
  auto byte = [&](std::size_t i) { return i < text.size() ? static_cast<std::uint8_t>(text[i]) : 0u; };
  auto follows = [&](std::size_t i) { return (byte(i) & 0xc0) == 0x80; };
  auto first = byte(0);
  if (first < 0x80)
    return 1;
  if (first >= 0xc2 && first <= 0xdf)
    return follows(1) ? 2 : 0;
  if (first >= 0xe0 && first <= 0xef) {
    auto least = first == 0xe0 ? 0xa0u : 0x80u, most = first == 0xed ? 0x9fu : 0xbfu;
    return byte(1) >= least && byte(1) <= most && follows(2) ? 3 : 0;
  }
  if (first >= 0xf0 && first <= 0xf4) {
    auto least = first == 0xf0 ? 0x90u : 0x80u, most = first == 0xf4 ? 0x8fu : 0xbfu;
    return byte(1) >= least && byte(1) <= most && follows(2) && follows(3) ? 4 : 0;
  }
  return 0;
}

/// Whether a sequence of that size at the start of `text` is a control character: C0, DEL, or C1 (U+0080 to U+009F).
bool is_control(std::string_view text, std::size_t size) {
  auto byte = static_cast<std::uint8_t>(text.front());
  return byte < 0x20 || byte == 0x7f ||
         (size == 2 && byte == 0xc2 && static_cast<std::uint8_t>(text[1]) < 0xa0);
}

} // namespace

std::string json_text(std::string_view text) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string out = "\"";
  out.reserve(text.size() + 2);
  while (!text.empty()) {
    auto c = text.front();
    auto size = sequence(text);
    if (size == 0) {
      out += "\xef\xbf\xbd";
      text.remove_prefix(1);
      continue;
    }
    if (c == '"' || c == '\\')
      (out += '\\') += c;
    else if (c == '\n')
      out += "\\n";
    else if (c == '\t')
      out += "\\t";
    else if (static_cast<std::uint8_t>(c) < 0x20 || c == 0x7f)
      (((out += "\\u00") += digits[(c >> 4) & 15])) += digits[c & 15];
    else
      out.append(text.substr(0, size));
    text.remove_prefix(size);
  }
  return out += '"';
}

bool is_plain_text(std::string_view text, std::size_t most) {
  if (text.size() > most)
    return false;
  while (!text.empty()) {
    auto size = sequence(text);
    if (size == 0 || is_control(text, size))
      return false;
    text.remove_prefix(size);
  }
  return true;
}

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    auto size = sequence(text);
    auto c = text.front();
    if (size == 0 || (is_control(text, size) && c != '\n' && c != '\t'))
      out += '?';
    else
      out += text.substr(0, size);
    text.remove_prefix(std::max<std::size_t>(size, 1));
  }
  return out;
}

} // namespace ke
