#pragma once

#include "runtime/text/source_tokens.hpp"

#include <algorithm>
#include <cstddef>

/// Inner parts of source_tokens.cpp, one per family of languages.
namespace ke::lexing {

/// The common part of the lexers: a place in the text, and the tokens so far.
class lexer {
protected:
  explicit lexer(std::string_view source) : source_{source} {}

  static bool is_digit(char c) { return c >= '0' && c <= '9'; }
  static bool is_letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
  /// Other bytes of UTF-8 count as letters: nothing but names (and texts) may hold them.
  static bool is_wide(char c) { return static_cast<unsigned char>(c) >= 0x80; }

  bool ends() const { return at_ >= source_.size(); }
  char look(std::size_t ahead = 0) const {
    return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0';
  }

  void push(source_token_kind kind, std::size_t begin, std::size_t end) {
    line_ +=
        static_cast<std::uint32_t>(std::count(source_.begin() + static_cast<std::ptrdiff_t>(counted_),
                                              source_.begin() + static_cast<std::ptrdiff_t>(begin), '\n'));
    counted_ = begin;
    found_.push_back({kind, source_.substr(begin, end - begin), line_, spaced_, fresh_});
    spaced_ = kind == source_token_kind::comment;
    fresh_ = false;
  }
  void start_over() {
    found_.clear();
    at_ = counted_ = 0;
    line_ = 1;
  }
  /// The rest of the text is not understood.
  void give_up(std::size_t begin) {
    push(source_token_kind::verbatim, begin, source_.size());
    at_ = source_.size();
  }

  std::string_view source_;
  std::size_t at_ = 0;
  bool spaced_ = true, fresh_ = true; ///< of the token that comes next
  std::vector<source_token> found_;

private:
  std::size_t counted_ = 0; ///< line ends up to here are in line_
  std::uint32_t line_ = 1;
};

std::vector<source_token> cpp_tokens(std::string_view source);
std::vector<source_token> python_tokens(std::string_view source);
std::vector<source_token> plain_tokens(std::string_view source, const source_syntax& syntax);

} // namespace ke::lexing
