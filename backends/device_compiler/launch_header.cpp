#include "backends/device_compiler/launch_header.hpp"

#include "runtime/core/stable_order.hpp"
#include "runtime/text/expression.hpp"
#include "runtime/text/nearest_name.hpp"
#include "runtime/text/source_text.hpp"
#include "runtime/text/source_tokens.hpp"
#include "runtime/toml/toml_document.hpp"

#include <algorithm>
#include <cctype>
#include <optional>

namespace ke {
namespace {

constexpr std::size_t longest_entry = 64;
constexpr std::int64_t most_grid_x = 2147483647, most_grid_yz = 65535, most_threads = 1024, most_block_z = 64,
                       most_shared = 227 << 10; // of sm_90 and sm_100

/// The text of a comment with its marks blanked out, and the line on which it begins.
struct toml_comment {
  std::string text;
  std::uint32_t line = 1;
};

bool is_launch_table(std::string_view line) {
  return line.starts_with("[launch]") || line.starts_with("[[launch]]");
}

/// ` * ` before a line is decoration.
void blank_star(std::string& line) {
  auto at = line.find_first_not_of(" \t");
  if (at != line.npos && line[at] == '*' && (at + 1 == line.size() || line[at + 1] == ' '))
    line[at] = ' ';
}

/// The inside of a comment as TOML; none if it declares no launch.
std::optional<std::string> as_toml(std::string_view inside) {
  std::string text;
  bool declares = false;
  for (bool more = true; more;) {
    auto end = inside.find('\n');
    more = end != inside.npos;
    std::string line{inside.substr(0, end)};
    inside.remove_prefix(more ? end + 1 : inside.size());
    if (line.ends_with('\r'))
      line.pop_back();
    blank_star(line);
    declares = declares || is_launch_table(trimmed(line));
    text += line + "\n";
  }
  return declares ? std::optional{text} : std::nullopt;
}

std::optional<toml_comment> declaring_comment(std::string_view source) {
  for (auto at = source.find("/*"); at != source.npos;) {
    auto end = source.find("*/", at + 2);
    if (end == source.npos)
      return std::nullopt;
    if (auto text = as_toml("  " + std::string{source.substr(at + 2, end - at - 2)}))
      return toml_comment{*std::move(text),
                          1 + static_cast<std::uint32_t>(std::count(
                                  source.begin(), source.begin() + static_cast<std::ptrdiff_t>(at), '\n'))};
    at = source.find("/*", end + 2);
  }
  return std::nullopt;
}

/// What the source defines as a whole number: the constants of a template. A name with two values is none.
std::map<std::string, std::string> constants_of(std::string_view source) {
  std::map<std::string, std::string> found;
  auto tokens = tokens_of(source, source_syntax{source_language::cpp});
  for (std::size_t i = 0; i + 4 < tokens.size(); ++i) {
    if (tokens[i].kind != source_token_kind::directive || !tokens[i + 1].is_word("define") ||
        tokens[i + 3].kind != source_token_kind::number || tokens[i + 4].kind != source_token_kind::line_end)
      continue;
    std::string value{tokens[i + 3].text};
    bool whole = value.size() < 19 &&
                 std::all_of(value.begin(), value.end(), [](unsigned char c) { return std::isdigit(c); });
    auto [at, is_new] = found.emplace(std::string{tokens[i + 2].text}, whole ? value : std::string{});
    if (!is_new && at->second != value)
      at->second.clear();
  }
  std::erase_if(found, [](const auto& f) { return f.second.empty(); });
  return found;
}

/// An expression with the source's constants put in, where the problem has no such name.
std::string with_constants(std::string_view text, const std::map<std::string, std::string>& constants,
                           const launch_shape* shape) {
  std::string out;
  for (std::size_t at = 0; at < text.size();) {
    if (!is_word(text[at])) {
      out += text[at++];
      continue;
    }
    auto end = at;
    while (end < text.size() && is_word(text[end]))
      ++end;
    std::string word{text.substr(at, end - at)};
    auto constant = constants.find(word);
    out += constant != constants.end() && !(shape && shape->contains(word)) ? constant->second : word;
    at = end;
  }
  return out;
}

/// Reads one document; collects every error.
class declaration_reader {
public:
  declaration_reader(std::string_view source, const std::string& file, std::uint32_t first_line,
                     const std::vector<launch_shape>& shapes)
      : file_{file}, first_line_{first_line}, shapes_{shapes}, constants_{constants_of(source)} {}

  result<std::vector<placed_launch>> read(const std::string& text) {
    std::vector<config_error> wrong;
    auto document = parse_toml(text, file_, wrong);
    for (const auto& e : wrong)
      refuse(e.line, "the launch declaration is no TOML: " + e.text);
    if (document)
      tables(*document);
    order_stably(errors_, [](const auto& a, const auto& b) { return a.first < b.first; });
    std::string lines;
    for (const auto& [line, error] : errors_)
      lines += (lines.empty() ? "" : "\n") + error;
    if (!lines.empty())
      return failure{failure_kind::invalid, lines};
    return std::move(launches_);
  }

private:
  void refuse(std::uint32_t line_of_toml, const std::string& text) {
    auto line = first_line_ + (line_of_toml == 0 ? 0 : line_of_toml - 1);
    errors_.emplace_back(line, file_ + "(" + std::to_string(line) + "): error: " + text);
  }
  void refuse(const toml_node& at, const std::string& key, const std::string& text) {
    refuse(at.place.line, key + ": " + text);
  }

  void tables(const toml_node& document) {
    for (const auto& m : document.members) {
      if (m.key != "launch") {
        refuse(m.place.line, "unknown key \"" + m.key + "\"" + did_you_mean(m.key, {"launch"}) +
                                 "; a launch declaration has tables [launch] only");
        continue;
      }
      if (m.value.is == toml_node::kind::table)
        table(m.value, m.place.line);
      else if (m.value.is == toml_node::kind::list && m.value.items.size() <= most_launches)
        for (const auto& item : m.value.items)
          table(item, item.place.line);
      else
        refuse(m.place.line, "launch: expected a table, or at most " + std::to_string(most_launches));
    }
  }

  void table(const toml_node& t, std::uint32_t line) {
    if (t.is != toml_node::kind::table)
      return refuse(line, "launch: expected a table, not " + std::string{kind_name(t.is)});
    placed_launch p{{"kernel", {}, {}, "0"}, first_line_ + line - 1};
    static const std::vector<std::string> known{"entry", "grid", "block", "shared"};
    for (const auto& m : t.members) {
      if (m.key == "entry")
        entry(m.value, p.launch.entry);
      else if (m.key == "grid")
        p.launch.grid = extents("launch.grid", m.value);
      else if (m.key == "block")
        p.launch.block = extents("launch.block", m.value);
      else if (m.key == "shared")
        p.launch.shared = expression("launch.shared", m.value).value_or("0");
      else
        refuse(m.place.line, "launch." + m.key + ": unknown key" + did_you_mean(m.key, known) +
                                 "; known here: entry grid block shared");
    }
    for (const char* needed : {"grid", "block"})
      if (!t.find(needed))
        refuse(line, std::string{"launch."} + needed + ": required, but missing: " +
                         (needed[0] == 'g' ? "how many blocks" : "how many threads of a block"));
    if (errors_.empty())
      check_values(t, p.launch);
    launches_.push_back(std::move(p));
  }

  void entry(const toml_node& n, std::string& to) {
    bool name = n.is == toml_node::kind::text && !n.text.empty() && n.text.size() <= longest_entry &&
                !std::isdigit(static_cast<unsigned char>(n.text[0])) &&
                std::all_of(n.text.begin(), n.text.end(), is_word);
    if (!name)
      return refuse(n, "launch.entry", "expected the name of an extern \"C\" __global__ function");
    to = n.text;
  }

  std::optional<std::string> expression(const std::string& key, const toml_node& n) {
    if (n.is == toml_node::kind::integer)
      return std::to_string(n.integer);
    if (n.is == toml_node::kind::text)
      return with_constants(n.text, constants_, shapes_.empty() ? nullptr : &shapes_.front());
    refuse(n, key, "expected a whole number or an expression in quotes, not " + std::string{kind_name(n.is)});
    return std::nullopt;
  }

  std::vector<std::string> extents(const std::string& key, const toml_node& n) {
    std::vector<std::string> all;
    if (n.is != toml_node::kind::list) {
      if (auto one = expression(key, n))
        all.push_back(*std::move(one));
      return all;
    }
    if (n.items.empty() || n.items.size() > 3)
      refuse(n, key, "expected one to three, along x, y and z, not " + std::to_string(n.items.size()));
    else
      for (const auto& item : n.items)
        if (auto one = expression(key, item))
          all.push_back(*std::move(one));
    return all;
  }

  /// The value of one expression within its bounds; nothing, and an error, if it has none.
  std::optional<std::int64_t> value(const toml_node& at, const std::string& key, const std::string& text,
                                    const launch_shape& shape, std::int64_t least, std::int64_t most) {
    std::string where, names;
    for (const auto& [name, x] : shape) {
      where += (where.empty() ? "" : ", ") + name + " = " + std::to_string(x);
      names += (names.empty() ? "" : ", ") + name;
    }
    auto v = integer_value(text, shape);
    if (!v) {
      refuse(at, key, v.error().text + "; names here: " + names);
      return std::nullopt;
    }
    if (*v >= least && *v <= most)
      return *v;
    refuse(at, key,
           "\"" + text + "\" is " + std::to_string(*v) + " for " + where + "; it may be " +
               std::to_string(least) + " to " + std::to_string(most));
    return std::nullopt;
  }

  /// Every expression for every shape, until the first fault.
  void check_values(const toml_node& t, const declared_launch& l) {
    for (const auto& shape : shapes_) {
      for (std::size_t i = 0; i < l.grid.size(); ++i)
        if (!value(*t.find("grid"), "launch.grid", l.grid[i], shape, 1, i == 0 ? most_grid_x : most_grid_yz))
          return;
      std::int64_t threads = 1;
      for (std::size_t i = 0; i < l.block.size(); ++i) {
        auto v = value(*t.find("block"), "launch.block", l.block[i], shape, 1,
                       i == 2 ? most_block_z : most_threads);
        if (!v)
          return;
        threads *= *v;
      }
      if (threads > most_threads)
        return refuse(*t.find("block"), "launch.block",
                      std::to_string(threads) + " threads in a block; there may be " +
                          std::to_string(most_threads));
      if (const auto* shared = t.find("shared");
          shared && !value(*shared, "launch.shared", l.shared, shape, 0, most_shared))
        return;
    }
  }

  const std::string& file_;
  std::uint32_t first_line_;
  const std::vector<launch_shape>& shapes_;
  std::map<std::string, std::string> constants_;
  std::vector<std::pair<std::uint32_t, std::string>> errors_;
  std::vector<placed_launch> launches_;
};

/// Where a declaration stands that is no block comment; 1: nowhere.
std::uint32_t line_of_mark(std::string_view source, bool& found) {
  std::uint32_t line = 1;
  for (; !source.empty(); ++line) {
    auto text = source.substr(0, source.find('\n'));
    source.remove_prefix(std::min(text.size() + 1, source.size()));
    found = text.find("[launch]") != text.npos || text.find("[[launch]]") != text.npos;
    if (found)
      return line;
  }
  return 1;
}

} // namespace

result<std::vector<placed_launch>> read_launches(std::string_view source, const std::string& file,
                                                 const std::vector<launch_shape>& shapes) {
  auto comment = declaring_comment(source);
  if (comment)
    return declaration_reader{source, file, comment->line, shapes}.read(comment->text);
  bool somewhere = false;
  auto line = line_of_mark(source, somewhere);
  return failure{failure_kind::invalid,
                 file + "(" + std::to_string(line) + "): error: " +
                     (somewhere ? "[launch] must stand on a line of its own in one comment /* ... */"
                                : "no launch is declared: begin with a comment /* ... */ that has, in TOML, "
                                  "[launch] with grid and block")};
}

} // namespace ke
