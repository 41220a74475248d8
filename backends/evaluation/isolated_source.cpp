#include "backends/evaluation/isolated_source.hpp"

#include "runtime/text/source_tokens.hpp"

#include <algorithm>
#include <initializer_list>
#include <set>
#include <utility>

namespace ke {
namespace {

using kind = source_token_kind;

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
  return std::find(words.begin(), words.end(), word) != words.end();
}

std::string spelled(const source_token& t) {
  return spelling(t, source_language::cpp);
}

class isolator {
public:
  isolator(std::string_view source, std::string name)
      : source_{source}, name_{std::move(name)}, tokens_{tokens_of(source, source_language::cpp)} {}

  result<isolated_source> run() {
    for (std::size_t i = 0; i < tokens_.size() && why_.empty();)
      i = tokens_[i].kind == kind::directive ? directive(i) : plain(i);
    if (why_.empty() && conditions_ != 0)
      why_ = "a condition of its preprocessor is never closed";
    if (!why_.empty())
      return failure{failure_kind::invalid, why_};
    copy_to(source_.size());
    if (!found_.conditional)
      std::erase_if(found_.headers, [](const std::string& line) { return !line.starts_with("#include"); });
    found_.body = wrapped();
    return std::move(found_);
  }

private:
  void refuse(std::string why) {
    if (why_.empty())
      why_ = std::move(why);
  }

  void copy_to(std::size_t end) {
    if (end > copied_)
      text_ += source_.substr(copied_, end - copied_);
    copied_ = std::max(copied_, end);
  }
  void skip_to(std::size_t end) { copied_ = std::max(copied_, end); }

  /// Outside of directives.
  std::size_t plain(std::size_t i) {
    const auto& t = tokens_[i];
    if (t.kind == kind::verbatim)
      refuse("the lexer does not understand it from line " + std::to_string(t.line) + " on");
    if (t.is_mark("{") || t.is_mark("<%"))
      ++depth_;
    if (t.is_mark("}") || t.is_mark("%>"))
      --depth_;
    if (t.is_word("namespace") && i + 1 < tokens_.size() && tokens_[i + 1].is_word("std") &&
        !(i > 0 && tokens_[i - 1].is_word("using")))
      refuse("it declares something in namespace std");
    rename(t);
    return i + 1;
  }

  /// The judge calls `kernel` by its C name, of which there can be one.
  void rename(const source_token& t) {
    if (t.kind != kind::word || spelled(t) != "kernel")
      return;
    auto begin = offset_in(source_, t);
    copy_to(begin);
    text_ += name_ + "_kernel";
    skip_to(begin + t.text.size());
  }

  /// A preprocessor's line, from its `#` on; where the next one begins.
  std::size_t directive(std::size_t first) {
    auto last = first + 1;
    while (last < tokens_.size() && tokens_[last].kind != kind::line_end)
      ++last;
    std::vector<source_token> words;
    for (auto i = first + 1; i < last; ++i) {
      if (tokens_[i].kind == kind::verbatim)
        refuse("the lexer does not understand it from line " + std::to_string(tokens_[i].line) + " on");
      if (tokens_[i].kind != kind::comment)
        words.push_back(tokens_[i]);
    }
    if (why_.empty() && !words.empty())
      act(tokens_[first], words);
    for (auto i = first + 1; i < last; ++i)
      if (offset_in(source_, tokens_[i]) >= copied_)
        rename(tokens_[i]);
    return last;
  }

  void act(const source_token& mark, const std::vector<source_token>& words) {
    auto what = spelled(words.front());
    auto begin = offset_in(source_, mark);
    auto end = offset_in(source_, words.back()) + words.back().text.size();
    auto line = "#" + std::string{source_.substr(begin + mark.text.size(), end - begin - mark.text.size())};
    if (what == "include") {
      include(words);
      copy_to(begin);
      skip_to(end);
    } else if (is_one_of(what, {"if", "ifdef", "ifndef", "elif", "elifdef", "elifndef", "else", "endif"})) {
      condition(what, words, line);
    } else if (what == "define" || what == "undef") {
      macro(words);
    } else if (what == "pragma") {
      if (pragma(words)) {
        copy_to(begin);
        skip_to(end);
      }
    } else if (what != "error" && what != "warning") {
      refuse("it has a directive #" + what);
    }
  }

  void include(const std::vector<source_token>& words) {
    if (depth_ != 0)
      refuse("it includes a header within a declaration");
    if (words.size() != 2 || words[1].kind != kind::literal)
      return refuse("it includes a header whose name is a macro's");
    if (conditions_ > 0 && own_condition_)
      refuse("it includes a header by a condition on its own macros");
    found_.conditional = found_.conditional || conditions_ > 0;
    found_.headers.push_back("#include " + spelled(words[1]));
  }

  void condition(const std::string& what, const std::vector<source_token>& words, const std::string& line) {
    conditions_ += what.starts_with("if");
    conditions_ -= what == "endif";
    if (conditions_ < 0)
      refuse("a condition of its preprocessor ends that never began");
    for (const auto& w : words)
      own_condition_ = own_condition_ || (w.kind == kind::word && macros_.contains(spelled(w)));
    found_.headers.push_back(line);
  }

  void macro(const std::vector<source_token>& words) {
    if (words.size() < 2 || words[1].kind != kind::word)
      return refuse("it has a #define without a name");
    auto macro = spelled(words[1]);
    if (macro == "kernel")
      refuse("it makes `kernel` a macro");
    macros_.insert(std::move(macro));
  }

  /// True: it means nothing in another file, and is left out.
  bool pragma(const std::vector<source_token>& words) {
    auto at = [&](std::size_t i) { return i < words.size() ? spelled(words[i]) : std::string{}; };
    if (at(1) == "once")
      return true;
    auto fine = is_one_of(at(1), {"omp", "unroll", "ivdep"}) || (at(1) == "clang" && at(2) == "loop") ||
                (at(1) == "GCC" && is_one_of(at(2), {"optimize", "target", "push_options", "pop_options",
                                                     "unroll", "ivdep", "diagnostic"}));
    if (!fine)
      refuse("its #pragma " + at(1) + " " + at(2) + " may act on what follows it");
    options_ = options_ || (at(1) == "GCC" && is_one_of(at(2), {"optimize", "target"}));
    return false;
  }

  std::string wrapped() const {
    std::string before, after;
    for (const auto& m : macros_) {
      before += "#pragma push_macro(\"" + m + "\")\n";
      after += "#pragma pop_macro(\"" + m + "\")\n";
    }
    if (options_) {
      before += "#pragma GCC push_options\n";
      after += "#pragma GCC pop_options\n";
    }
    return before + "namespace " + name_ + " {\n" + text_ + "\n} // namespace " + name_ + "\n" + after;
  }

  std::string_view source_;
  std::string name_;
  std::vector<source_token> tokens_;
  isolated_source found_;
  std::string text_, why_;
  std::size_t copied_ = 0; ///< of the source, left-out pieces included
  std::set<std::string> macros_;
  int depth_ = 0, conditions_ = 0;
  bool own_condition_ = false, options_ = false;
};

} // namespace

result<isolated_source> isolate_cpp(std::string_view source, const std::string& name) {
  return isolator{source, name}.run();
}

} // namespace ke
