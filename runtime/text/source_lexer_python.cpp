#include "runtime/text/source_lexer.hpp"

#include <array>

namespace ke::lexing {
namespace {

using kind = source_token_kind;

constexpr std::array<std::string_view, 25> python_long_marks{
    "**=", "//=", "<<=", ">>=", "...", "**", "//", "<<", ">>", "<=", ">=", "==", "!=",
    "->",  ":=",  "+=",  "-=",  "*=",  "/=", "%=", "@=", "&=", "|=", "^=", "<>"};
constexpr std::string_view python_short_marks = "()[]{}:,;.+-*/%@&|^~<>=";

/// Of a text: letters of a prefix, in whatever order and case.
bool is_prefix(std::string_view word) {
  if (word.size() > 2)
    return false;
  std::string lower;
  for (char c : word)
    lower += static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  constexpr std::array<std::string_view, 11> all{"r", "u", "b", "f", "t", "br", "rb", "fr", "rf", "tr", "rt"};
  return std::find(all.begin(), all.end(), lower) != all.end();
}

class python_lexer : lexer {
public:
  explicit python_lexer(std::string_view source) : lexer{source} {}

  std::vector<source_token> read() {
    if (source_.starts_with("\xEF\xBB\xBF"))
      at_ = 3;
    while (!ends()) {
      if (beginning_ && !indentation())
        continue;
      step();
    }
    finish();
    return std::move(found_);
  }

private:
  struct column {
    std::size_t wide = 0, narrow = 0; ///< with a tab to the next eighth column, and of one
    bool operator==(const column&) const = default;
  };

  static bool starts_word(char c) { return is_letter(c) || c == '_' || is_wide(c); }
  static bool is_part(char c) { return starts_word(c) || is_digit(c); }

  /// Takes them; where they end.
  column spaces() {
    column here;
    for (;; ++at_) {
      auto c = look();
      if (c == ' ')
        ++here.wide, ++here.narrow;
      else if (c == '\t')
        here.wide = (here.wide / 8 + 1) * 8, ++here.narrow;
      else if (c == '\f')
        here = {};
      else
        return here;
    }
  }

  /// At the begin of a logical line: its place in the structure. False if it is an empty line, or at the end.
  bool indentation() {
    auto begin = at_;
    auto here = spaces();
    spaced_ = true;
    if (look() == '\r')
      ++at_;
    if (ends())
      return false;
    if (look() == '\n') {
      ++at_;
      fresh_ = true;
      return false;
    }
    if (look() == '#') {
      comment();
      return false;
    }
    if (look() == '\\') // a line that is continued before it has begun
      return give_up(begin), false;
    beginning_ = false;
    return enter(here, begin);
  }

  /// A line's column against those of the blocks that are open.
  bool enter(const column& here, std::size_t begin) {
    auto is_first = fresh_;
    auto structure = [&](kind k) {
      push(k, at_, at_);
      spaced_ = true;
      fresh_ = is_first;
    };
    const auto& top = open_.back();
    if (here.wide == top.wide)
      return here == top || (give_up(begin), false);
    if (here.wide > top.wide) {
      if (here.narrow <= top.narrow)
        return give_up(begin), false;
      open_.push_back(here);
      structure(kind::indent);
      return true;
    }
    if (std::find(open_.begin(), open_.end(), here) == open_.end()) // no line before is indented like this
      return give_up(begin), false;
    for (; !(open_.back() == here); open_.pop_back())
      structure(kind::dedent);
    return true;
  }

  void step() {
    auto begin = at_;
    auto c = look();
    if (c == ' ' || c == '\t' || c == '\f' || c == '\r') {
      spaced_ = true;
      ++at_;
    } else if (c == '\n') {
      if (depth_ == 0) {
        push(kind::line_end, begin, begin + 1);
        beginning_ = true;
      }
      ++at_;
      spaced_ = fresh_ = true;
    } else if (c == '\\') {
      auto end = at_ + (look(1) == '\r' ? 2 : 1);
      if (end + 1 >= source_.size() || source_[end] != '\n')
        return give_up(begin);
      at_ = end + 1;
      spaced_ = fresh_ = true;
    } else if (c == '#') {
      comment();
    } else if (starts_word(c)) {
      word();
    } else if (is_digit(c) || (c == '.' && is_digit(look(1)))) {
      number();
    } else if (c == '"' || c == '\'') {
      text(begin, "");
    } else {
      mark();
    }
  }

  /// Python reads two kinds of comments: the file's encoding, and types (PyTorch's compiler does).
  void comment() {
    auto begin = at_;
    at_ = std::min(source_.find('\n', at_), source_.size());
    auto end = at_ > begin && source_[at_ - 1] == '\r' ? at_ - 1 : at_;
    auto said = source_.substr(begin, end - begin);
    auto word = said.find_first_not_of("# \t");
    auto is_type = word != said.npos && said.substr(word).starts_with("type:");
    push(kind::comment, begin, end);
    auto is_encoding =
        found_.back().line <= 2 && (said.find("coding:") != said.npos || said.find("coding=") != said.npos);
    if (is_type || is_encoding)
      found_.back().kind = kind::verbatim;
    spaced_ = true;
  }

  void word() {
    auto begin = at_;
    while (is_part(look()))
      ++at_;
    auto name = source_.substr(begin, at_ - begin);
    if ((look() == '"' || look() == '\'') && is_prefix(name))
      return text(begin, name);
    push(kind::word, begin, at_);
  }

  /// Longer than Python's own where a name follows without a blank (`1if x`): told apart, at worst.
  void number() {
    auto begin = at_;
    auto is_hex = look() == '0' && (look(1) == 'x' || look(1) == 'X');
    for (char before = '\0';
         is_part(look()) || look() == '.' ||
         ((look() == '+' || look() == '-') && !is_hex && (before == 'e' || before == 'E'));
         ++at_)
      before = look();
    push(kind::number, begin, at_);
  }

  void mark() {
    auto begin = at_;
    auto rest = source_.substr(at_, 3);
    for (auto m : python_long_marks)
      if (rest.starts_with(m)) {
        at_ += m.size();
        return push(kind::mark, begin, at_);
      }
    auto c = look();
    if (python_short_marks.find(c) == python_short_marks.npos)
      return give_up(begin);
    depth_ += c == '(' || c == '[' || c == '{';
    if (c == ')' || c == ']' || c == '}') {
      if (depth_ == 0)
        return give_up(begin);
      --depth_;
    }
    ++at_;
    push(kind::mark, begin, at_);
  }

  /// What the fields of an f-string have been read as. Since Python 3.12 a field may hold the quotes that end
  /// the whole: where 3.11 and 3.12 may differ, nothing is understood.
  struct field {
    int depth = 0, brackets = 0;
    bool format = false; ///< behind the colon
  };

  /// The next character of a field, or the text in it that begins there; false if nobody knows how it goes
  /// on.
  bool in_field(field& f) {
    auto c = look();
    if (c == '\\' || c == '\n' || c == '\r')
      return false;
    if (c == '"' || c == '\'') { // a text in it: one that holds nothing of note
      auto end = at_ + 1;
      for (; end < source_.size() && source_[end] != c; ++end)
        if (std::string_view{"{}\\\n\r\"'#"}.find(source_[end]) != std::string_view::npos)
          return false;
      at_ = std::min(end, source_.size()); // the end itself is stepped over by the caller
      return end < source_.size() && !f.format;
    }
    if (c == '#' && !(f.format && f.depth == 1))
      return false;
    f.depth += c == '{';
    f.depth -= c == '}';
    f.brackets += c == '(' || c == '[';
    f.brackets -= c == ')' || c == ']';
    if (c == '{' || f.brackets < 0)
      return f.format && f.depth == 2 && f.brackets == 0; // a width in the format; else a set or a dictionary
    if (f.depth == 0)
      f = {};
    else if (c == ':' && f.depth == 1 && f.brackets == 0)
      f.format = true;
    return true;
  }

  void text(std::size_t begin, std::string_view prefix) {
    auto quote = look();
    auto three = look(1) == quote && look(2) == quote;
    auto with_fields = prefix.find_first_of("fFtT") != prefix.npos;
    field f;
    for (at_ += three ? 3 : 1; !ends(); ++at_) {
      auto c = look();
      if (c == quote && (!three || (look(1) == quote && look(2) == quote))) {
        if (f.depth > 0)
          break;
        at_ += three ? 3 : 1;
        return push(kind::literal, begin, at_);
      }
      if (f.depth > 0) {
        if (!in_field(f))
          break;
      } else if (c == '\\') {
        // A backslash before a brace is itself: f"\{x}" has a field. A line's end may be of two characters.
        if (!with_fields || (look(1) != '{' && look(1) != '}'))
          at_ += look(1) == '\r' && look(2) == '\n' ? 2 : 1;
      } else if (c == '\n' && !three) {
        break;
      } else if (with_fields && (c == '{' || c == '}')) {
        if (look(1) == c)
          ++at_;
        else if (c == '}')
          break;
        else
          f.depth = 1;
      }
    }
    give_up(begin);
  }

  void finish() {
    if (depth_ > 0) { // a line that never ends: what is in it may be anything
      start_over();
      return give_up(0);
    }
    if (!beginning_ && !found_.empty() && found_.back().kind != kind::line_end)
      push(kind::line_end, source_.size(), source_.size());
    for (; open_.size() > 1; open_.pop_back())
      push(kind::dedent, source_.size(), source_.size());
  }

  std::vector<column> open_{column{}};
  int depth_ = 0;         ///< of brackets
  bool beginning_ = true; ///< of a logical line
};

} // namespace

std::vector<source_token> python_tokens(std::string_view source) {
  return python_lexer{source}.read();
}

} // namespace ke::lexing
