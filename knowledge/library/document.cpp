#include "knowledge/library/document.hpp"

#include "knowledge/library/words.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/stable_order.hpp"
#include "runtime/core/verdict_state.hpp"
#include "runtime/text/nearest_name.hpp"
#include "runtime/text/source_text.hpp"
#include "runtime/toml/schema.hpp"

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

/// The words of the front matter that are not the document's own members.
struct front_matter {
  std::string id;
  std::int64_t level = 1;
};

schema front_matter_schema(document& d, front_matter& words) {
  schema all;
  auto key = [&](const char* path, const char* doc, auto* slot, bool required) -> key_spec& {
    all.keys.push_back({path, doc, [slot](std::size_t) -> value_slot { return slot; }});
    all.keys.back().required = required;
    return all.keys.back();
  };
  key("id", "the document's path, or left out", &words.id, false);
  key("title", "the title, as below the front matter", &d.title, true);
  key("targets", "names or patterns of targets", &d.targets, true);
  key("families", "families of problems; an empty list: all", &d.families, true);
  key("dtypes", "types of elements; an empty list: all", &d.dtypes, true);
  key("languages", "languages of candidates; left out or an empty list: all", &d.languages, false);
  key("uses", "names, of which the reference holds one; left out or an empty list: any", &d.uses, false);
  key("sources", "where it is from", &d.sources, true);
  auto& level = key("level", "1 (everyone should know), 2 (advanced) or 3 (expert)", &words.level, true);
  level.least = 1;
  level.most = 3;
  key("signals.bottleneck", "words of a diagnosis", &d.signals.bottleneck, false);
  key("signals.cause", "causes of a diagnosis", &d.signals.cause, false);
  key("signals.failure", "states of a verdict", &d.signals.failure, false);
  key("signals.message", "fragments of tools' messages", &d.signals.message, false);
  all.keys.push_back({.path = "kind",
                      .doc = "what it is for",
                      .at = [&d](std::size_t) -> value_slot {
                        auto choice = choice_of(d.kind);
                        choice.names.pop_back(); // a skill is no file
                        return choice;
                      },
                      .required = true});
  return all;
}

/// Checks what no single key of the front matter can tell, and notes every finding with its line.
class front_matter_checks {
public:
  front_matter_checks(const toml_node& table, document& d, std::vector<finding>& findings)
      : table_{table}, document_{d}, findings_{findings} {}

  void all(const front_matter& words) {
    if (table_.find("id") && words.id != document_.id)
      say(at("id"), "id must be the document's path, " + document_.id + ", or be left out");
    if (at("title").is == toml_node::kind::text && trimmed(document_.title).empty())
      say(at("title"), "title: must not be empty");
    for (auto key : {"targets", "sources"})
      if (at(key).is == toml_node::kind::list && at(key).items.empty())
        say(at(key), std::string{key} + ": must name at least one");
    kind();
    check_words(
        "targets", at("targets"), [](const std::string& t) { return plain_target(t); },
        "a target is a name of lower-case letters, digits, \"-\" and \".\", or a pattern with \"*\"; after "
        "\"!\": "
        "not these");
    only_exclusions();
    check_words(
        "families", at("families"), [](const std::string& f) { return plain_name(f); },
        "a family is one word of lower-case letters, digits, \"-\" and \"_\"");
    check_words(
        "languages", at("languages"), [](const std::string& l) { return plain_language(l); },
        "a language is a name of lower-case letters, digits, \"-\" and \"+\", as [backend] of a manifest has "
        "it");
    one_of("dtypes", at("dtypes"), known_dtypes());
    nearly_known_targets();
    signals();
  }

private:
  const toml_node& at(const char* key) const {
    static const toml_node absent{};
    const auto* n = table_.find(key);
    return n ? *n : absent;
  }
  void say(const toml_node& node, std::string text, bool error = true) {
    findings_.push_back({document_.path, std::max(1u, node.place.line), error, std::move(text)});
  }

  static bool plain_name(std::string_view word) {
    return !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
      return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '-' || c == '_';
    });
  }
  static bool plain_target(std::string_view word) {
    word.remove_prefix(word.starts_with('!') ? 1 : 0);
    return !word.empty() && std::all_of(word.begin(), word.end(),
                                        [](char c) { return plain_name({&c, 1}) || c == '.' || c == '*'; });
  }

  static bool plain_language(std::string_view word) {
    return !word.empty() &&
           std::all_of(word.begin(), word.end(), [](char l) { return plain_name({&l, 1}) || l == '+'; });
  }

  /// The words of a list that the schema took.
  template <class F>
  static void each_word(const toml_node& list, F&& visit) {
    for (const auto& item : list.items)
      if (item.is == toml_node::kind::text)
        visit(item);
  }

  template <class F>
  void check_words(const std::string& key, const toml_node& list, F&& right, const char* rule) {
    each_word(list, [&](const toml_node& item) {
      if (!right(item.text))
        say(item, key + ": \"" + item.text + "\": " + rule);
    });
  }

  void one_of(const std::string& key, const toml_node& list, const std::vector<std::string>& known) {
    each_word(list, [&](const toml_node& item) {
      if (std::find(known.begin(), known.end(), item.text) == known.end())
        say(item, key + ": there is no \"" + item.text + "\"" + did_you_mean(item.text, known) +
                      "; known: " + listed(known));
    });
  }

  /// The three categories are folders, too.
  void kind() {
    const auto& n = at("kind");
    auto category = document_.id.substr(0, document_.id.find('/'));
    if (n.is == toml_node::kind::text && n.text == to_text(document_.kind) &&
        (category == "constraints" || category == "guidance" || category == "hardware") &&
        !category.starts_with(n.text))
      say(n, "kind is \"" + n.text + "\", but the document lies in " + category + "/");
  }

  void signals() {
    const auto* in = table_.find("signals");
    if (!in)
      return say(at("signals"), "signals: required, but missing: a table [signals]");
    static const toml_node absent{};
    auto of = [&](const char* key) -> const toml_node& {
      const auto* n = in->find(key);
      return n ? *n : absent;
    };
    one_of("signals.bottleneck", of("bottleneck"), known_bottlenecks());
    one_of("signals.failure", of("failure"), known_failures());
    check_words(
        "signals.cause", of("cause"), [](const std::string& c) { return plain_name(c); },
        "a cause is one word of lower-case letters, digits, \"-\" and \"_\", as a diagnosis names it");
    check_words(
        "signals.message", of("message"), [](const std::string& m) { return !words_of(m).empty(); },
        "a fragment needs a word to search by");
    each_word(of("message"), [&](const toml_node& m) {
      if (lower(m.text) != m.text)
        say(m, "signals.message: \"" + m.text + "\": write fragments in lower case", false);
    });
  }

  void only_exclusions() {
    const auto& all = document_.targets;
    if (!all.empty() && std::all_of(all.begin(), all.end(), [](const auto& t) { return t.starts_with('!'); }))
      say(at("targets"), "targets: all of them exclude something; write \"*\" before them");
  }

  void nearly_known_targets() {
    const auto& known = known_targets();
    each_word(at("targets"), [&](const toml_node& item) {
      auto text = item.text.substr(item.text.starts_with('!') ? 1 : 0);
      auto fits = [&](const std::string& name) { return glob_matches(text, name); };
      if (std::any_of(known.begin(), known.end(), fits))
        return;
      if (auto near = nearest_name(text, known); !near.empty())
        say(item,
            "targets: \"" + item.text + "\" is no target of the program's own, but nearly \"" + near + "\"",
            false);
    });
  }

  const toml_node& table_;
  document& document_;
  std::vector<finding>& findings_;
};

/// Reads the front matter, `text`, which begins on the second line of its file.
void read_front_matter(std::string_view text, document& d, std::vector<finding>& findings) {
  std::vector<config_error> errors;
  auto table = parse_toml("\n" + std::string{text}, d.path, errors);
  front_matter words;
  if (table) {
    read_document(*table, front_matter_schema(d, words), errors);
    d.level = static_cast<std::uint32_t>(words.level);
    front_matter_checks{*table, d, findings}.all(words);
  }
  for (const auto& e : errors)
    findings.push_back({d.path, e.line, true, (e.key.empty() ? "" : e.key + ": ") + e.text});
}

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

/// Without complete candidates: fences of two words, a language and a problem.
std::size_t words_beside_listings(std::string_view body) {
  std::size_t words = 0;
  bool listing = false;
  while (!body.empty()) {
    auto line = take_line(body);
    bool fence = line.starts_with("```");
    if (fence && (listing || trimmed(line).find(' ') != std::string_view::npos))
      listing = !listing;
    else if (!listing)
      for (bool inside = false; char c : line) {
        auto blank = std::isspace(static_cast<unsigned char>(c)) != 0;
        words += !blank && !inside;
        inside = !blank;
      }
  }
  return words;
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
  auto words = words_beside_listings(d.body);
  if (words < fewest_words || words > most_words)
    say(line,
        "the body has " + std::to_string(words) + " words beside its listings; " +
            std::to_string(fewest_words) + " to " + std::to_string(most_words) + " are what a prompt can use",
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
  read_front_matter(*front, d, out.findings);
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
