#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ke::playbook {

enum class token_kind : std::uint8_t { identifier, number, text, mark, end };

struct token {
  token_kind kind = token_kind::end;
  std::string text;
  int line = 0;
};

/// C++ tokens without comments and preprocessor lines; the last one is `end`. `defines` has the lines
/// `#define NAME number` as (NAME, number text). Never fails: unknown text (source_tokens.hpp) becomes a
/// mark.
struct token_list {
  std::vector<token> tokens;
  std::vector<std::pair<std::string, std::string>> defines;
};
token_list tokenize(std::string_view source);

} // namespace ke::playbook
