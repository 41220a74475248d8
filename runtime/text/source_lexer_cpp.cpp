#include "runtime/text/source_lexer.hpp"

#include <array>
#include <initializer_list>
#include <utility>

namespace ke::lexing {
namespace {

using kind = source_token_kind;

/// Longest first. Some are of CUDA or of old spellings: what one compiler reads as one token must be one.
constexpr std::array<std::string_view, 35> cpp_long_marks{
    "%:%:", "<<<", ">>>", "<<=", ">>=", "<=>", "...", "->*", "::", "++", "--", "+=",
    "-=",   "*=",  "/=",  "%=",  "&=",  "|=",  "^=",  "<=",  ">=", "==", "!=", "&&",
    "||",   "<<",  ">>",  "->",  ".*",  "##",  "<:",  ":>",  "<%", "%>", "%:"};
constexpr std::string_view cpp_short_marks = "{}[]#();:?.~!+-*/%^&|=<>,";

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// The place is always behind splices (a backslash at a line's end): they may stand within any token.
class cpp_lexer : lexer {
public:
  explicit cpp_lexer(std::string_view source) : lexer{source} { skip_splices(); }

  std::vector<source_token> read() {
    if (source_.starts_with("\xEF\xBB\xBF"))
      take(3);
    while (!ends())
      step();
    if (directive_)
      push(kind::line_end, at_, at_);
    return std::move(found_);
  }

private:
  static bool starts_word(char c) {
    // A backslash that is no splice begins the number of a letter, \u00e9.
    return is_letter(c) || c == '_' || c == '$' || c == '\\' || is_wide(c);
  }

  void skip_splices() {
    while (look() == '\\' && (look(1) == '\n' || (look(1) == '\r' && look(2) == '\n')))
      at_ += look(1) == '\n' ? 2 : 3;
  }
  void take() {
    end_ = ++at_;
    skip_splices();
  }
  void take(std::size_t count) {
    while (count-- > 0)
      take();
  }
  /// The text ahead, without its splices.
  std::string ahead(std::size_t most) {
    std::string text;
    auto here = at_;
    for (; text.size() < most && !ends(); ++at_, skip_splices())
      text += look();
    at_ = here;
    return text;
  }

  void add(kind k, std::size_t begin) {
    push(k, begin, end_);
    if (directive_ && k != kind::comment)
      before_last_ = std::exchange(last_, spelling(found_.back(), source_language::cpp));
  }

  void step() {
    auto c = look();
    auto begin = at_;
    if (c == ' ' || c == '\t' || c == '\v' || c == '\f' || c == '\r') {
      spaced_ = true;
      return take();
    }
    if (c == '\n') {
      take();
      if (directive_)
        push(kind::line_end, begin, end_);
      directive_ = false;
      spaced_ = fresh_ = beginning_ = true;
      return;
    }
    auto next = ahead(4);
    if (next.starts_with("//")) {
      while (!ends() && look() != '\n')
        take();
      return add(kind::comment, begin);
    }
    if (next.starts_with("/*"))
      return block_comment(begin);
    if (std::exchange(beginning_, false) && (c == '#' || next.starts_with("%:"))) {
      directive_ = true;
      last_.clear();
      take(c == '#' ? 1 : 2);
      return add(kind::directive, begin);
    }
    if ((c == '<' || c == '"') && names_header())
      if (header(begin, c == '<' ? '>' : '"'))
        return;
    if (starts_word(c))
      return word(begin);
    if (is_digit(c) || (c == '.' && next.size() > 1 && is_digit(next[1])))
      return number(begin);
    if (c == '"' || c == '\'')
      return quoted(begin);
    mark(next, begin);
  }

  void mark(std::string_view next, std::size_t begin) {
    for (auto mark : cpp_long_marks)
      if (next.starts_with(mark)) {
        // `<::` is `<` and `::` unless it goes on as a digraph would.
        if (mark == "<:" && next.starts_with("<::") && next.size() == 4 && next[3] != ':' && next[3] != '>')
          break;
        take(mark.size());
        return add(kind::mark, begin);
      }
    if (cpp_short_marks.find(look()) == cpp_short_marks.npos)
      return give_up(begin);
    take();
    add(kind::mark, begin);
  }

  void block_comment(std::size_t begin) {
    take(2);
    for (char before = '\0'; !ends(); take()) {
      if (before == '*' && look() == '/') {
        take();
        return add(kind::comment, begin);
      }
      before = look();
    }
    give_up(begin);
  }

  /// Whether what comes is a header's name, in which nothing is a comment and a backslash is one.
  bool names_header() const {
    if (!directive_)
      return false;
    return is_one_of(last_, {"include", "include_next", "import", "embed"}) ||
           (last_ == "(" && before_last_.starts_with("__has_"));
  }
  bool header(std::size_t begin, char close) {
    if (begin < no_header_before_)
      return false;
    const char ends[] = {close, '\n', close == '>' ? '\\' : '\n', '\0'};
    auto end = std::min(source_.find_first_of(ends, begin + 1), source_.size());
    if (end == source_.size() || source_[end] == '\n') {
      no_header_before_ = end;
      return false;
    }
    if (source_[end] == '\\')
      return give_up(begin), true;
    end_ = at_ = end + 1;
    skip_splices();
    add(kind::literal, begin);
    return true;
  }

  void word(std::size_t begin) {
    std::string name;
    for (; !ends() && (starts_word(look()) || is_digit(look())); take())
      name += look();
    auto quote = look();
    if (quote == '"' && is_one_of(name, {"R", "u8R", "uR", "UR", "LR"}))
      return raw_literal(begin);
    if ((quote == '"' || quote == '\'') && is_one_of(name, {"u8", "u", "U", "L"}))
      return quoted(begin);
    add(kind::word, begin);
  }

  /// As the preprocessor has it: 1'000, 0x1p-3, 1.e+5f, and whatever letters follow.
  void number(std::size_t begin) {
    for (char before = '\0'; !ends(); take()) {
      auto c = look();
      auto next = ahead(2);
      auto sign =
          (c == '+' || c == '-') && (before == 'e' || before == 'E' || before == 'p' || before == 'P');
      auto separator =
          c == '\'' && next.size() == 2 && (is_digit(next[1]) || is_letter(next[1]) || next[1] == '_');
      if (!is_digit(c) && !starts_word(c) && c != '.' && !sign && !separator)
        break;
      before = c;
    }
    add(kind::number, begin);
  }

  void quoted(std::size_t begin) {
    auto quote = look();
    take();
    while (!ends() && look() != quote && look() != '\n') {
      if (look() == '\\')
        take();
      if (!ends())
        take();
    }
    if (look() != quote) // as compilers do in what is skipped by an #if: it is all of the line
      return add(kind::verbatim, begin);
    take();
    suffix(begin);
  }

  /// Splices are none within it.
  void raw_literal(std::size_t begin) {
    auto open = source_.find_first_of("( )\\\t\v\f\r\n", at_ + 1);
    if (open == source_.npos || source_[open] != '(' || open - at_ > 17)
      return give_up(begin);
    auto mark = ")" + std::string{source_.substr(at_ + 1, open - at_ - 1)} + "\"";
    auto close = source_.find(mark, open);
    if (close == source_.npos)
      return give_up(begin);
    end_ = at_ = close + mark.size();
    skip_splices();
    suffix(begin);
  }

  /// A suffix that is written at a literal is of it: "a"_s is not "a" _s.
  void suffix(std::size_t begin) {
    std::string name;
    for (; !ends() && (starts_word(look()) || (!name.empty() && is_digit(look()))); take())
      name += look();
    if (look() == '"' && name.ends_with('R')) // where the raw literal begins, compilers do not agree
      return give_up(begin);
    add(kind::literal, begin);
  }

  bool beginning_ = true; ///< of a line: nothing but comments is before
  bool directive_ = false;
  std::size_t no_header_before_ = 0; ///< none ends before this place
  std::size_t end_ = 0;              ///< behind the last character taken
  std::string last_, before_last_;   ///< tokens of the directive
};

} // namespace

std::vector<source_token> cpp_tokens(std::string_view source) {
  return cpp_lexer{source}.read();
}

} // namespace ke::lexing
