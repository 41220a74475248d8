#include "runtime/text/source_lexer.hpp"

namespace ke::lexing {
namespace {

/// A language of which only this is known: comments to the end of a line, and texts within one.
class plain_lexer : lexer {
public:
  plain_lexer(std::string_view source, const source_syntax& syntax) : lexer{source}, syntax_{syntax} {}

  std::vector<source_token> read() {
    while (!ends()) {
      fresh_ = spaced_ = true;
      auto end = std::min(source_.find('\n', at_), source_.size());
      auto comment = comment_in(at_, end);
      if (comment == source_.npos) {
        give_up(at_);
        break;
      }
      auto last = source_.substr(at_, comment - at_).find_last_not_of(" \t\v\f\r");
      if (last != source_.npos)
        push(source_token_kind::verbatim, at_, at_ + last + 1);
      if (comment < end)
        push(source_token_kind::comment, comment, end);
      at_ = end + 1;
    }
    return std::move(found_);
  }

private:
  static bool begins(std::string_view text, const std::vector<std::string>& marks) {
    return std::any_of(marks.begin(), marks.end(), [&](const auto& m) { return text.starts_with(m); });
  }

  /// Where the line's comment begins; the line's end without one; npos if a text on it is unclear.
  std::size_t comment_in(std::size_t begin, std::size_t end) const {
    for (auto at = begin; at < end; ++at) {
      auto rest = source_.substr(at, end - at);
      if (begins(rest, syntax_.comments))
        return at;
      if (!begins(rest, syntax_.quotes))
        continue;
      auto close = rest.find(rest.front(), 1);
      if (close == rest.npos || rest.substr(0, close).find('\\') != rest.npos)
        return source_.npos;
      at += close;
    }
    return end;
  }

  const source_syntax& syntax_;
};

} // namespace

std::vector<source_token> plain_tokens(std::string_view source, const source_syntax& syntax) {
  return plain_lexer{source, syntax}.read();
}

} // namespace ke::lexing
