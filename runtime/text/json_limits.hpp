#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

// A parser's document can be a hundred times larger than its JSON text: `[[[[` and `[{},{},{}` cost up to a
// hundred bytes per value. So foreign text is checked here first.

namespace ke {

struct json_limits {
  std::size_t depth = 64;
  std::size_t values = 1u << 16; ///< keys counted too
  std::size_t string_bytes = ~std::size_t{0};
};

enum class json_fault : std::uint8_t {
  none, ///< within the limits; whether it is JSON is the parser's to say
  too_deep,
  too_many_values,
  too_long_string,
  no_json, ///< a string without an end, or a number or word of more than 1,024 bytes
};

/// The first of these limits that a JSON text exceeds. Allocates nothing, reads each byte once.
constexpr json_fault json_fault_of(std::string_view text, const json_limits& limits) {
  constexpr std::size_t longest_word = 1024;
  std::size_t depth = 0, values = 0, word = 0; // word: bytes of the number or name that we are in
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const bool between = c == ',' || c == ':' || c == ' ' || c == '\n' || c == '\t' || c == '\r';
    const bool opens = c == '[' || c == '{', closes = c == ']' || c == '}';
    if (!between && !opens && !closes && c != '"') {
      if (++word == 1 && ++values > limits.values)
        return json_fault::too_many_values;
      if (word > longest_word)
        return json_fault::no_json;
      continue;
    }
    word = 0;
    if (between)
      continue;
    if (closes) {
      depth -= depth > 0 ? 1 : 0;
      continue;
    }
    if (++values > limits.values)
      return json_fault::too_many_values;
    if (opens && ++depth > limits.depth)
      return json_fault::too_deep;
    if (c == '"') {
      const auto begin = ++i;
      while (i < text.size() && text[i] != '"')
        i += text[i] == '\\' ? 2 : 1;
      if (i >= text.size())
        return json_fault::no_json;
      if (i - begin > limits.string_bytes)
        return json_fault::too_long_string;
    }
  }
  return json_fault::none;
}

/// Whether a JSON text nests no deeper than `max_depth` and holds at most `max_values` values, keys counted
/// too. False also for json_fault::no_json.
constexpr bool json_within(std::string_view text, std::size_t max_depth, std::size_t max_values) {
  return json_fault_of(text, {max_depth, max_values}) == json_fault::none;
}

} // namespace ke
