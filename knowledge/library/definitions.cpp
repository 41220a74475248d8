#include "knowledge/library/definitions.hpp"

#include "runtime/text/source_text.hpp"

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

std::size_t behind_brackets(std::string_view text, std::size_t at, char open, char close) {
  for (int depth = 0; at < text.size(); ++at)
    if (text[at] == open)
      ++depth;
    else if (text[at] == close && --depth == 0)
      return at + 1;
  return text.size();
}

/// `head`: a declaration up to the body, the value or the end.
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

/// One pass over the tokens: a definition ends with the `;` or `}` that is in no other bracket.
class cpp_reader {
public:
  explicit cpp_reader(std::string_view source)
      : source_{source}, tokens_{tokens_of(source, source_language::cpp)} {}

  list read() {
    while (next_ < tokens_.size())
      step(tokens_[next_++]);
    finish(source_.size());
    return std::move(found_);
  }

private:
  void step(const source_token& t) {
    if (t.kind == source_token_kind::directive)
      return directive(offset_in(source_, t));
    at_ = offset_in(source_, t) + t.text.size();
    if (t.is_mark("(") || t.is_mark("["))
      ++depth_;
    else if (t.is_mark(")") || t.is_mark("]"))
      --depth_;
    else if (t.is_mark("{"))
      open();
    else if (t.is_mark("}"))
      close();
    else if (t.is_mark(";") && depth_ <= 0)
      finish(at_);
  }

  /// Both branches of an #if hold the same brackets' beginning, so each starts from the depth before it.
  void directive(std::size_t begin) {
    auto word = next_ < tokens_.size() ? tokens_[next_].text : std::string_view{};
    while (next_ < tokens_.size() && tokens_[next_].kind != source_token_kind::line_end)
      ++next_;
    at_ = next_ < tokens_.size() ? offset_in(source_, tokens_[next_++]) : source_.size();
    auto line = source_.substr(begin, at_ - begin);
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
    // A type or an initialiser ends there, a function here.
    if (next_ < tokens_.size() && tokens_[next_].is_mark(";"))
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
  std::vector<source_token> tokens_;
  std::size_t next_ = 0;                      ///< of the tokens
  std::size_t at_ = 0, begin_ = 0;            ///< behind the token being read; where the definition begins
  std::size_t body_ = std::string_view::npos; ///< where the body of the definition under way begins
  int depth_ = 0, transparent_ = 0;
  std::vector<int> depths_; ///< before each open #if
  list found_;
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

/// A definition is what begins at the first column, with its decorators, up to the next.
list read_python(std::string_view source) {
  list found;
  std::string name;
  std::size_t begin = 0, depth = 0;
  auto beginning = true; // of a logical line
  for (const auto& t : tokens_of(source, source_language::python)) {
    depth += t.kind == source_token_kind::indent;
    depth -= t.kind == source_token_kind::dedent;
    if (t.kind == source_token_kind::line_end)
      beginning = true;
    if (t.text.empty() || t.kind == source_token_kind::line_end || t.kind == source_token_kind::comment ||
        t.kind == source_token_kind::verbatim || !std::exchange(beginning, false) || depth > 0)
      continue;
    auto here = offset_in(source, t);
    auto decorated = name.empty() && trimmed(source.substr(begin, here - begin)).starts_with('@');
    if (!decorated) {
      add(found, std::move(name), source.substr(begin, here - begin));
      begin = here;
    }
    name = name_of_python(source.substr(here, source.find('\n', here) - here));
  }
  add(found, std::move(name), source.substr(begin));
  return found;
}

} // namespace

std::vector<definition> definitions_in(std::string_view source, source_language language) {
  return language == source_language::python ? read_python(source)
         : language == source_language::cpp  ? cpp_reader{source}.read()
                                             : list{};
}

} // namespace ke
