#include "runtime/playbook/read/lexer.hpp"

#include "runtime/text/source_tokens.hpp"

#include <utility>

namespace ke::playbook {
namespace {

constexpr auto cpp = source_language::cpp;

token_kind kind_of(source_token_kind kind) {
  return kind == source_token_kind::word      ? token_kind::identifier
         : kind == source_token_kind::number  ? token_kind::number
         : kind == source_token_kind::literal ? token_kind::text
                                              : token_kind::mark;
}

/// `#define NAME value` in the tokens of a directive, whose line end is the last; the value without a blank.
void read_define(const std::vector<source_token>& line, token_list& out) {
  if (line.size() < 5 || !line[1].is_word("define") || line[2].kind != source_token_kind::word ||
      !line[3].spaced)
    return;
  std::string value;
  for (std::size_t i = 3; i + 1 < line.size(); ++i) {
    if (i > 3 && line[i].spaced)
      return;
    value += spelling(line[i], cpp);
  }
  out.defines.emplace_back(spelling(line[2], cpp), value);
}

} // namespace

token_list tokenize(std::string_view source) {
  token_list out;
  std::vector<source_token> directive;
  int line = 1;
  for (const auto& t : tokens_of(source, cpp)) {
    line = static_cast<int>(t.line);
    if (t.kind == source_token_kind::comment)
      continue;
    if (t.kind == source_token_kind::directive || !directive.empty()) {
      directive.push_back(t);
      if (t.kind != source_token_kind::line_end)
        continue;
      read_define(directive, out);
      directive.clear();
    } else {
      out.tokens.push_back({kind_of(t.kind), spelling(t, cpp), line});
    }
  }
  out.tokens.push_back({token_kind::end, "", line});
  return out;
}

} // namespace ke::playbook
