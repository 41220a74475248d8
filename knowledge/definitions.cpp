#include "knowledge/definitions.hpp"

#include "runtime/core/source_text.hpp"

#include <algorithm>
#include <initializer_list>
#include <utility>

namespace ke {
namespace {

using list = std::vector<definition>;

void add(list& to, std::string name, std::string_view text) {
  if (name.empty())
    return;
  auto same = std::find_if(to.begin(), to.end(), [&](const auto& d) { return d.name == name; });
  if (same == to.end() && to.size() == most_definitions)
    return;
  if (same == to.end())
    same = to.insert(to.end(), {std::move(name), {}});
  same->text += text;
  if (!text.ends_with('\n'))
    same->text += '\n';
}

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

/// The word that begins at `at`, which is moved behind it; empty if none does.
std::string_view take_word(std::string_view text, std::size_t& at) {
  auto begin = at;
  while (at < text.size() && is_word(text[at]))
    ++at;
  return text.substr(begin, at - begin);
}

/// Behind the literal that begins at `at`: a text or a character of one line.
std::size_t behind_literal(std::string_view text, std::size_t at) {
  auto quote = text[at++];
  while (at < text.size() && text[at] != quote && text[at] != '\n')
    at += text[at] == '\\' ? 2 : 1;
  return std::min(at + 1, text.size());
}

/// The same for R"mark( ... )mark", where `at` is at the quote.
std::size_t behind_raw_literal(std::string_view text, std::size_t at) {
  auto open = std::min(text.find('(', at), text.size());
  auto end = ")" + std::string{text.substr(at + 1, open - at - 1)} + "\"";
  auto found = text.find(end, open);
  return found == text.npos ? text.size() : found + end.size();
}

std::size_t behind_brackets(std::string_view text, std::size_t at, char open, char close) {
  for (int depth = 0; at < text.size(); ++at)
    if (text[at] == open)
      ++depth;
    else if (text[at] == close && --depth == 0)
      return at + 1;
  return text.size();
}

/// `head`: a declaration up to its body, its value or its end.
std::string name_in_cpp(std::string_view head) {
  std::string_view last;
  for (std::size_t at = 0; at < head.size();) {
    auto c = head[at];
    if (!is_word(c)) {
      if (c == '(' || c == '=' || c == '[')
        break;
      ++at;
      continue;
    }
    auto word = take_word(head, at);
    auto next = std::min(head.find_first_not_of(" \t\n", at), head.size());
    auto called = next < head.size() && head[next] == '(';
    if (word == "template" && next < head.size() && head[next] == '<')
      at = behind_brackets(head, next, '<', '>');
    else if (called && (word.starts_with("__") || is_one_of(word, {"alignas", "decltype", "requires"})))
      at = behind_brackets(head, next, '(', ')'); // attributes stand before the name, too
    else if (is_one_of(word, {"struct", "class", "union", "enum", "using"}))
      last = {}; // its name is the first word behind it, unless it is the type of a function
    else
      last = word;
  }
  return std::string{last};
}

/// The name before a base class, a parameter list of a specialisation or a body.
std::string name_of_type(std::string_view head) {
  for (std::size_t at = 0; at < head.size();) {
    if (!is_word(head[at])) {
      ++at;
      continue;
    }
    auto word = take_word(head, at);
    if (word == "template" && at < head.size())
      at = behind_brackets(head, at, '<', '>');
    else if (is_one_of(word, {"struct", "class", "union", "enum", "using"})) {
      auto is_name = [&](std::string_view w) { return !w.empty() && !is_one_of(w, {"class", "struct"}); };
      while (at < head.size()) {
        auto next = take_word(head, at);
        auto behind = std::min(head.find_first_not_of(" \t\n", at), head.size());
        if (is_one_of(next, {"alignas", "__attribute__"}) && behind < head.size() && head[behind] == '(')
          at = behind_brackets(head, behind, '(', ')');
        else if (is_name(next))
          return std::string{next};
        else if (next.empty())
          ++at;
      }
    }
  }
  return {};
}

std::string name_of_cpp(std::string_view head) {
  if (head.find('(') == head.npos)
    if (auto type = name_of_type(head); !type.empty())
      return type;
  return name_in_cpp(head);
}

std::string name_of_macro(std::string_view line) {
  auto at = line.find("define");
  if (at == line.npos)
    return {};
  at = std::min(line.find_first_not_of(" \t", at + 6), line.size());
  return std::string{take_word(line, at)};
}

/// One pass over the text: a definition ends with the `;` or `}` that is in no other bracket.
class cpp_reader {
public:
  explicit cpp_reader(std::string_view source) : source_{source} {}

  list read() {
    while (at_ < source_.size())
      step();
    finish(source_.size());
    return std::move(found_);
  }

private:
  void step() {
    auto c = source_[at_];
    if (c == '#' && trimmed(source_.substr(line_begin(), at_ - line_begin())).empty())
      return directive();
    auto before = at_ == 0 ? ' ' : source_[at_ - 1];
    if (c == '"' && before == 'R') {
      at_ = behind_raw_literal(source_, at_);
      return;
    }
    if (c == '"' || (c == '\'' && !is_word(before))) { // 1'000 is a number
      at_ = behind_literal(source_, at_);
      return;
    }
    ++at_;
    if (c == '(' || c == '[')
      ++depth_;
    else if (c == ')' || c == ']')
      --depth_;
    else if (c == '{')
      open();
    else if (c == '}')
      close();
    else if (c == ';' && depth_ <= 0)
      finish(at_);
  }

  std::size_t line_begin() const {
    auto end = at_ == 0 ? source_.npos : source_.rfind('\n', at_ - 1);
    return end == source_.npos ? 0 : end + 1;
  }

  /// Both branches of an #if hold the same brackets' beginning, so each starts from the depth before it.
  void directive() {
    auto begin = at_;
    for (;; ++at_) {
      at_ = std::min(source_.find('\n', at_), source_.size());
      if (at_ == source_.size() || source_[at_ - 1] != '\\')
        break;
    }
    auto line = source_.substr(begin, at_ - begin);
    auto word_at = std::min(line.find_first_not_of(" \t", 1), line.size());
    auto word = take_word(line, word_at);
    if (word.starts_with("if"))
      depths_.push_back(depth_);
    else if (word.starts_with("el") && !depths_.empty())
      depth_ = depths_.back();
    else if (word == "endif" && !depths_.empty())
      depths_.pop_back();
    if (trimmed(source_.substr(begin_, begin - begin_)).empty()) { // between definitions
      if (word == "define")
        add(found_, name_of_macro(line), line);
      begin_ = at_;
    }
  }

  void open() {
    auto head = trimmed(source_.substr(begin_, at_ - 1 - begin_));
    if (depth_ == 0 &&
        (head.starts_with("namespace") || head.starts_with("inline namespace") || head == "extern \"C\"")) {
      ++transparent_;
      begin_ = at_;
      return;
    }
    if (depth_ == 0 && body_ == source_.npos)
      body_ = at_ - 1;
    ++depth_;
  }

  void close() {
    if (depth_ == 0 && transparent_ > 0) {
      --transparent_;
      begin_ = at_;
      return;
    }
    if (--depth_ > 0)
      return;
    depth_ = 0;
    auto next = source_.find_first_not_of(" \t\n", at_);
    if (next != source_.npos && source_[next] == ';') // a type or an initialiser ends there, a function here
      return;
    finish(at_);
  }

  void finish(std::size_t end) {
    auto text = source_.substr(begin_, end - begin_);
    auto skipped = std::min(text.find_first_not_of(" \t\n"), text.size());
    text.remove_prefix(skipped);
    auto from = begin_ + skipped;
    auto with_body = body_ != source_.npos && body_ >= from;
    if (text.size() > 1)
      add(found_, name_of_cpp(with_body ? source_.substr(from, body_ - from) : text), text);
    begin_ = end;
    body_ = source_.npos;
    depth_ = 0;
  }

  std::string_view source_;
  std::size_t at_ = 0, begin_ = 0;
  std::size_t body_ = std::string_view::npos; ///< where the body of what is being read begins
  int depth_ = 0, transparent_ = 0;
  std::vector<int> depths_; ///< before each open #if
  list found_;
};

/// Moves the state of brackets and long texts over one line.
class python_lines {
public:
  bool inside() const { return depth_ > 0 || !quote_.empty() || continued_; }
  void read(std::string_view line) {
    continued_ = line.ends_with('\\');
    for (std::size_t at = 0; at < line.size();) {
      if (!quote_.empty()) {
        if (line.substr(at, 3) == quote_)
          quote_ = {}, at += 3;
        else
          at += line[at] == '\\' ? 2 : 1;
      } else if (auto three = line.substr(at, 3); three == "\"\"\"" || three == "'''") {
        quote_ = three == "'''" ? "'''" : "\"\"\"";
        at += 3;
      } else if (line[at] == '"' || line[at] == '\'') {
        at = behind_literal(line, at);
      } else {
        auto c = line[at++];
        depth_ += c == '(' || c == '[' || c == '{';
        depth_ -= c == ')' || c == ']' || c == '}';
      }
    }
  }

private:
  int depth_ = 0;
  bool continued_ = false;
  std::string_view quote_;
};

std::string name_of_python(std::string_view text) {
  std::size_t at = 0;
  auto word = take_word(text, at);
  auto next = [&] {
    at = std::min(text.find_first_not_of(" \t", at), text.size());
    return take_word(text, at);
  };
  if (word == "async")
    word = next();
  if (word == "def" || word == "class")
    return std::string{next()};
  at = std::min(text.find_first_not_of(" \t", at), text.size());
  auto assigned = at < text.size() && (text[at] == ':' || (text[at] == '=' && text.substr(at, 2) != "=="));
  return assigned && !is_one_of(word, {"if", "for", "while", "with", "try", "else"}) ? std::string{word} : "";
}

list read_python(std::string_view source) {
  list found;
  std::string text, name;
  python_lines state;
  auto finish = [&] {
    add(found, std::exchange(name, {}), text);
    text.clear();
  };
  while (!source.empty()) {
    auto end = std::min(source.find('\n'), source.size());
    auto line = source.substr(0, end);
    source.remove_prefix(std::min(end + 1, source.size()));
    if (!state.inside() && !line.empty() && line[0] != ' ' && line[0] != '\t') {
      auto decorated = name.empty() && text.starts_with('@');
      if (!decorated)
        finish();
      name = name_of_python(line);
    }
    (text += line) += '\n';
    state.read(line);
  }
  finish();
  return found;
}

} // namespace

std::vector<definition> definitions_in(std::string_view source, bool python) {
  return python ? read_python(source) : cpp_reader{source}.read();
}

} // namespace ke
