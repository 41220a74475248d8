#include "knowledge/library/document.hpp"

#include "knowledge/library/words.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/stable_order.hpp"
#include "runtime/core/verdict.hpp"
#include "runtime/text/nearest_name.hpp"
#include "runtime/text/source_text.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <cctype>
#include <utility>

namespace ke {
namespace {

constexpr std::size_t largest_document = 64u << 10;
constexpr std::size_t fewest_words = 80, most_words = 450;

std::string listed(const std::vector<std::string>& names) {
  std::string all;
  for (const auto& n : names)
    all += (all.empty() ? "" : " ") + n;
  return all;
}

/// Reads the front matter's table into a document and notes every finding with its line in the file.
class reader {
public:
  reader(const toml::table& table, std::string_view path, std::vector<finding>& findings)
      : table_{table}, path_{path}, findings_{findings} {}

  void read(document& d) {
    unknown_keys(table_, "",
                 {"id", "title", "kind", "targets", "families", "dtypes", "level", "sources", "signals"});
    if (table_.contains("id") && text("id") != d.id)
      say(table_.get("id"), "id must be the document's path, " + d.id + ", or be left out");
    d.title = text("title");
    read_kind(d);
    d.targets = list(table_, "", "targets", true, false);
    d.families = list(table_, "", "families", true, true);
    d.dtypes = list(table_, "", "dtypes", true, true);
    d.sources = list(table_, "", "sources", true, false);
    read_level(d);
    read_signals(d);
    check_words(
        "targets", table_.get("targets"), [](const std::string& t) { return plain_target(t); },
        "a target is a name of lower-case letters, digits, \"-\" and \".\", or a pattern with \"*\"");
    check_words(
        "families", table_.get("families"), [](const std::string& f) { return plain_name(f); },
        "a family is one word of lower-case letters, digits, \"-\" and \"_\"");
    one_of("dtypes", table_.get("dtypes"), known_dtypes());
    nearly_known_targets();
  }

private:
  void say(const toml::node* at, std::string text, bool error = true) {
    // The front matter begins on the second line of the file.
    findings_.push_back({std::string{path_}, at ? at->source().begin.line + 1 : 1, error, std::move(text)});
  }

  static bool plain_name(std::string_view word) {
    return !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    });
  }
  static bool plain_target(std::string_view word) {
    return !word.empty() && std::all_of(word.begin(), word.end(),
                                        [](char c) { return plain_name({&c, 1}) || c == '.' || c == '*'; });
  }

  void unknown_keys(const toml::table& in, const std::string& prefix, const std::vector<std::string>& known) {
    for (const auto& [key, value] : in)
      if (std::string name{key.str()}; std::find(known.begin(), known.end(), name) == known.end())
        say(&value, "unknown key " + prefix + name + did_you_mean(name, known));
  }

  const toml::node* wanted(const char* key) {
    const auto* n = table_.get(key);
    if (!n)
      say(nullptr, std::string{"the key "} + key + " is missing");
    return n;
  }

  std::string text(const char* key) {
    const auto* n = wanted(key);
    if (!n)
      return {};
    if (!n->is_string() || trimmed(n->as_string()->get()).empty()) {
      say(n, std::string{key} + " must be a text that is not empty");
      return {};
    }
    return n->as_string()->get();
  }

  std::vector<std::string> list(const toml::table& in, const std::string& prefix, const char* key,
                                bool required, bool may_be_empty) {
    const auto* n = in.get(key);
    if (!n) {
      if (required)
        say(nullptr, "the key " + prefix + key + " is missing");
      return {};
    }
    const auto* array = n->as_array();
    if (!array || !std::all_of(array->begin(), array->end(), [](auto& x) { return x.is_string(); })) {
      say(n, prefix + key + " must be a list of texts");
      return {};
    }
    if (array->empty() && !may_be_empty)
      say(n, prefix + key + " must name at least one");
    std::vector<std::string> all;
    for (const auto& item : *array)
      all.push_back(item.as_string()->get());
    return all;
  }

  template <class F>
  void check_words(const std::string& key, const toml::node* n, F&& right, const char* rule) {
    if (const auto* array = n ? n->as_array() : nullptr)
      for (const auto& item : *array)
        if (const auto* word = item.as_string(); word && !right(word->get()))
          say(&item, key + ": \"" + word->get() + "\": " + rule);
  }

  void one_of(const std::string& key, const toml::node* n, const std::vector<std::string>& known) {
    if (const auto* array = n ? n->as_array() : nullptr)
      for (const auto& item : *array)
        if (const auto* word = item.as_string();
            word && std::find(known.begin(), known.end(), word->get()) == known.end())
          say(&item, key + ": there is no \"" + word->get() + "\"" + did_you_mean(word->get(), known) +
                         "; known: " + listed(known));
  }

  void read_kind(document& d) {
    static const std::vector<std::string> kinds{"constraint", "guidance", "hardware"};
    auto word = text("kind");
    auto at = std::find(kinds.begin(), kinds.end(), word);
    if (at != kinds.end())
      d.kind = static_cast<document_kind>(at - kinds.begin());
    else if (!word.empty())
      say(table_.get("kind"),
          "kind: there is no \"" + word + "\"" + did_you_mean(word, kinds) + "; known: " + listed(kinds));
    // The three categories are folders, too.
    auto category = d.id.substr(0, d.id.find('/'));
    if (at != kinds.end() &&
        (category == "constraints" || category == "guidance" || category == "hardware") &&
        !category.starts_with(word))
      say(table_.get("kind"), "kind is \"" + word + "\", but the document lies in " + category + "/");
  }

  void read_level(document& d) {
    const auto* n = wanted("level");
    if (!n)
      return;
    auto level = n->as_integer() ? n->as_integer()->get() : 0;
    if (level < 1 || level > 3)
      say(n, "level must be 1 (everyone should know), 2 (advanced) or 3 (expert)");
    else
      d.level = static_cast<std::uint32_t>(level);
  }

  void read_signals(document& d) {
    const auto* n = wanted("signals");
    if (!n)
      return;
    const auto* in = n->as_table();
    if (!in)
      return say(n, "signals must be a table: write [signals]");
    unknown_keys(*in, "signals.", {"bottleneck", "failure", "message"});
    d.signals = {list(*in, "signals.", "bottleneck", false, true),
                 list(*in, "signals.", "failure", false, true),
                 list(*in, "signals.", "message", false, true)};
    one_of("signals.bottleneck", in->get("bottleneck"), known_bottlenecks());
    one_of("signals.failure", in->get("failure"), known_failures());
    check_words(
        "signals.message", in->get("message"), [](const std::string& m) { return !words_of(m).empty(); },
        "a fragment needs a word to search by");
    if (const auto* array = in->get("message") ? in->get("message")->as_array() : nullptr)
      for (const auto& item : *array)
        if (const auto* m = item.as_string(); m && lower(m->get()) != m->get())
          say(&item, "signals.message: \"" + m->get() + "\": write fragments in lower case", false);
  }

  void nearly_known_targets() {
    const auto* array = table_.get("targets") ? table_.get("targets")->as_array() : nullptr;
    if (!array)
      return;
    for (const auto& item : *array)
      if (const auto* word = item.as_string()) {
        const auto& all = known_targets();
        auto fits = [&](const std::string& name) { return glob_matches(word->get(), name); };
        if (std::none_of(all.begin(), all.end(), fits))
          if (auto near = nearest_name(word->get(), all); !near.empty())
            say(&item,
                "targets: \"" + word->get() + "\" is no target of the program's own, but nearly \"" + near +
                    "\"",
                false);
      }
  }

  const toml::table& table_;
  std::string_view path_;
  std::vector<finding>& findings_;
};

/// The text up to the end of its first line, which is taken away from `text`.
std::string_view take_line(std::string_view& text) {
  auto end = text.find('\n');
  auto line = text.substr(0, end);
  text.remove_prefix(end == text.npos ? text.size() : end + 1);
  if (line.ends_with('\r'))
    line.remove_suffix(1);
  return line;
}

/// The front matter, taken away from `text` with its fences; `lines` is how many lines were taken.
std::optional<std::string_view> take_front_matter(std::string_view& text, std::uint32_t& lines) {
  if (take_line(text) != "+++")
    return std::nullopt;
  lines = 1;
  for (auto inside = text; !text.empty();) {
    auto before = static_cast<std::size_t>(text.data() - inside.data());
    ++lines;
    if (take_line(text) == "+++")
      return inside.substr(0, before);
  }
  return std::nullopt;
}

/// The title line and what follows it.
void read_body(std::string_view text, std::uint32_t line, document& d, std::vector<finding>& findings) {
  auto say = [&](std::uint32_t at, std::string what, bool error = true) {
    findings.push_back({d.path, at, error, std::move(what)});
  };
  while (!text.empty()) {
    ++line;
    auto first = trimmed(take_line(text));
    if (first.empty())
      continue;
    if (!first.starts_with("# "))
      return say(line, "the first line after the front matter must be \"# \" and the title");
    if (auto title = trimmed(first.substr(2)); !d.title.empty() && title != trimmed(d.title))
      say(line, "the title line \"" + std::string{title} + "\" differs from the key title");
    break;
  }
  auto begin = text.find_first_not_of(" \t\r\n");
  d.body = trimmed(text);
  if (d.body.empty())
    return say(line, "the body is empty");
  line +=
      static_cast<std::uint32_t>(std::count(text.begin(), text.begin() + static_cast<long>(begin), '\n')) + 1;
  d.body_line = line;
  std::size_t words = 0;
  bool inside = false;
  for (char c : d.body) {
    auto blank = std::isspace(static_cast<unsigned char>(c)) != 0;
    words += !blank && !inside;
    inside = !blank;
  }
  if (words < fewest_words || words > most_words)
    say(line,
        "the body has " + std::to_string(words) + " words; " + std::to_string(fewest_words) + " to " +
            std::to_string(most_words) + " are what a prompt can use",
        false);
}

} // namespace

std::string to_line(const finding& f) {
  return f.path + (f.line ? ":" + std::to_string(f.line) : "") + (f.error ? ": error: " : ": warning: ") +
         f.text;
}

parsed_document parse_document(std::string_view id, std::string_view path, std::string_view text) {
  parsed_document out;
  document d;
  d.id = id;
  d.path = path;
  auto refuse = [&](std::uint32_t line, std::string why) {
    out.findings.push_back({d.path, line, true, std::move(why)});
    return out;
  };
  if (text.size() > largest_document)
    return refuse(0, "the file has " + std::to_string(text.size()) + " bytes; at most 64 KiB are read");
  std::uint32_t lines = 0;
  auto front = take_front_matter(text, lines);
  if (!front)
    return refuse(1, lines ? "the front matter does not end: a line \"+++\" is missing"
                           : "the first line must be \"+++\": a document begins with its front matter");
  try {
    auto table = toml::parse(*front);
    reader{table, path, out.findings}.read(d);
  } catch (const toml::parse_error& e) {
    return refuse(e.source().begin.line + 1, std::string{e.description()});
  }
  read_body(text, lines, d, out.findings);
  order_stably(out.findings, [](const finding& a, const finding& b) { return a.line < b.line; });
  if (std::none_of(out.findings.begin(), out.findings.end(), [](const finding& f) { return f.error; }))
    out.document = std::move(d);
  return out;
}

const std::vector<std::string>& known_targets() {
  static const std::vector<std::string> all{"x86-64-avx2", "x86-64-avx512", "nvidia-h200",
                                            "amd-mi300",   "opencl",        "riscv-v"};
  return all;
}

const std::vector<std::string>& known_bottlenecks() {
  static const std::vector<std::string> all{"memory",    "compute",  "latency",
                                            "occupancy", "frontend", "overhead"};
  return all;
}

const std::vector<std::string>& known_failures() {
  static const std::vector<std::string> all{[] {
    std::vector<std::string> names;
    for (auto s = verdict_state::incorrect; s <= verdict_state::noisy;
         s = static_cast<verdict_state>(static_cast<int>(s) + 1))
      names.emplace_back(to_text(s));
    return names;
  }()};
  return all;
}

const std::vector<std::string>& known_dtypes() {
  static const std::vector<std::string> all(names_of<dtype>::value.begin(), names_of<dtype>::value.end());
  return all;
}

bool glob_matches(std::string_view pattern, std::string_view name) {
  // Back to the last star on a mismatch: linear for one star, never worse than the product of the lengths.
  std::size_t p = 0, n = 0, star = pattern.npos, from = 0;
  while (n < name.size()) {
    if (p < pattern.size() && pattern[p] == '*') {
      star = p++;
      from = n;
    } else if (p < pattern.size() && pattern[p] == name[n]) {
      ++p;
      ++n;
    } else if (star != pattern.npos) {
      p = star + 1;
      n = ++from;
    } else {
      return false;
    }
  }
  return pattern.find_first_not_of('*', p) == pattern.npos;
}

std::vector<std::pair<std::string, std::uint32_t>> references_in(std::string_view body) {
  std::vector<std::pair<std::string, std::uint32_t>> all;
  std::uint32_t line = 0;
  bool fenced = false;
  while (!body.empty()) {
    auto text = take_line(body);
    if (text.starts_with("```"))
      fenced = !fenced; // C++ attributes look alike
    for (auto at = text.find("[["); !fenced && at != text.npos; at = text.find("[[", at + 2)) {
      auto end = text.find("]]", at);
      if (end != text.npos && text.find('/', at) < end) // `[[likely]]` is none, nor is a[[i]]
        all.emplace_back(text.substr(at + 2, end - at - 2), line);
    }
    ++line;
  }
  return all;
}

} // namespace ke
