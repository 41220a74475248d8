#include "runtime/text/source_template.hpp"

#include "runtime/text/source_text.hpp"

#include <algorithm>
#include <cctype>
#include <optional>

namespace ke {
namespace {

constexpr std::string_view mark = "ke-param:";

/// What a comment of its own line says behind the mark.
std::optional<std::string_view> declaration(std::string_view comment, const source_syntax& syntax) {
  auto text = trimmed(comment);
  auto begin = std::find_if(syntax.comments.begin(), syntax.comments.end(),
                            [&](const std::string& m) { return text.starts_with(m); });
  if (begin == syntax.comments.end() || syntax.constant.empty() || text.find('\n') != text.npos)
    return std::nullopt;
  text = trimmed(text.substr(begin->size()));
  if (!text.starts_with(mark))
    return std::nullopt;
  return trimmed(text.substr(mark.size()));
}

/// The lines of a source, with what is declared there.
struct source_line {
  std::string_view text;
  std::optional<std::string_view> declared;
};
std::vector<source_line> lines_of(std::string_view source, const source_syntax& syntax) {
  std::vector<source_line> lines;
  for (auto rest = source; !rest.empty();) {
    auto end = rest.find('\n');
    lines.push_back({rest.substr(0, end), std::nullopt});
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  for (const auto& t : tokens_of(source, syntax)) {
    if (t.kind == source_token_kind::comment && t.first)
      lines[t.line - 1].declared = declaration(t.text, syntax);
    else if (t.kind == source_token_kind::verbatim) // what looks like a comment in it may be one
      for (auto i = t.line - (t.first ? 1u : 0u);
           i < lines.size() && lines[i].text.data() < t.text.data() + t.text.size(); ++i)
        lines[i].declared = declaration(lines[i].text, syntax);
  }
  return lines;
}

bool is_name(std::string_view s) {
  return !s.empty() && !std::isdigit(static_cast<unsigned char>(s[0])) &&
         std::all_of(s.begin(), s.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}
/// A word in quotes without them, as `PREC = "ieee"` has it; others as they are.
std::string_view unquoted(std::string_view s) {
  const bool quoted = s.size() > 2 && (s.front() == '"' || s.front() == '\'') && s.back() == s.front();
  return quoted ? s.substr(1, s.size() - 2) : s;
}
bool is_value(std::string_view text) {
  auto s = unquoted(text);
  return !s.empty() && s.size() <= 64 && std::all_of(s.begin(), s.end(), [](unsigned char c) {
    return std::isalnum(c) || c == '_' || c == '.' || c == '+' || c == '-';
  });
}

failure wrong(std::size_t line, const std::string& why) {
  return {failure_kind::no_code, "line " + std::to_string(line) + ": " + why, false};
}

result<source_parameter> read(std::string_view text, std::size_t line) {
  source_parameter p;
  auto equals = text.find('=');
  p.name = trimmed(text.substr(0, equals));
  if (equals == std::string_view::npos || !is_name(p.name))
    return wrong(line, "a parameter is written `ke-param: NAME = VALUE | VALUE`");
  for (auto rest = text.substr(equals + 1);;) {
    auto bar = rest.find('|');
    auto value = trimmed(rest.substr(0, bar));
    if (!is_value(value))
      return wrong(
          line,
          "the values of parameter " + p.name +
              " are numbers, words or words in quotes, with `|` between them, at most 64 characters each");
    if (std::find(p.values.begin(), p.values.end(), value) != p.values.end())
      return wrong(line, "parameter " + p.name + " has a value twice");
    p.values.emplace_back(value);
    if (bar == std::string_view::npos)
      break;
    rest.remove_prefix(bar + 1);
  }
  if (p.values.size() > most_values)
    return wrong(line, "parameter " + p.name + " has more than " + std::to_string(most_values) + " values");
  return p;
}

/// The words and single marks of a line; blanks only part them.
std::vector<std::string_view> pieces_of(std::string_view line) {
  std::vector<std::string_view> pieces;
  for (std::size_t at = 0, end = 0; at < line.size(); at = end) {
    for (end = at; end < line.size() && is_word(line[end]); ++end) {
    }
    end += end == at ? 1 : 0;
    if (auto piece = trimmed(line.substr(at, end - at)); !piece.empty())
      pieces.push_back(piece);
  }
  return pieces;
}

/// Whether a line defines the parameter, with whatever value.
bool defines(const source_parameter& p, std::string_view line, const source_syntax& syntax) {
  auto whole = constant_line(syntax, p.name, "{value}");
  auto before = pieces_of(std::string_view{whole}.substr(0, whole.find("{value}")));
  auto pieces = pieces_of(line);
  return pieces.size() > before.size() && std::equal(before.begin(), before.end(), pieces.begin()) &&
         pieces[before.size()] != "=";
}

std::string point_mark(const source_syntax& syntax) {
  return syntax.comments.front() + " ke-point: {";
}

} // namespace

std::string constant_line(const source_syntax& syntax, std::string_view name, std::string_view value) {
  constexpr std::string_view name_mark = "{name}", value_mark = "{value}";
  auto line = syntax.constant;
  for (auto [mark, text] : {std::pair{name_mark, name}, std::pair{value_mark, value}})
    if (auto at = line.find(mark); at != line.npos)
      line.replace(at, mark.size(), text);
  return line;
}

result<std::vector<source_parameter>> parameters_of(std::string_view source, const source_syntax& syntax) {
  std::vector<source_parameter> all;
  auto lines = lines_of(source, syntax);
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!lines[i].declared)
      continue;
    auto p = read(*lines[i].declared, i + 1);
    if (!p)
      return p.error();
    if (std::any_of(all.begin(), all.end(), [&](const auto& q) { return q.name == p->name; }))
      return wrong(i + 1, "parameter " + p->name + " is declared twice");
    if (all.size() == most_parameters)
      return wrong(i + 1, "a template has at most " + std::to_string(most_parameters) + " parameters");
    all.push_back(std::move(*p));
  }
  return all;
}

parameter_point point_in(std::string_view source, const source_syntax& syntax,
                         const std::vector<source_parameter>& parameters) {
  parameter_point point(parameters.size(), 0);
  std::size_t next = 0;
  const source_parameter* last = nullptr;
  for (const auto& line : lines_of(source, syntax)) {
    if (last)
      for (std::uint32_t i = 0; i < last->values.size(); ++i)
        if (trimmed(line.text) == constant_line(syntax, last->name, last->values[i]))
          point[next - 1] = i;
    last = line.declared && next < parameters.size() ? &parameters[next++] : nullptr;
  }
  return point;
}

result<std::string> at_point(std::string_view source, const source_syntax& syntax,
                             const parameter_point& point) {
  auto parameters = parameters_of(source, syntax);
  if (!parameters)
    return parameters.error();
  auto fits = point.size() == parameters->size() && !point.empty();
  for (std::size_t i = 0; fits && i < point.size(); ++i)
    fits = point[i] < (*parameters)[i].values.size();
  if (!fits)
    return failure{failure_kind::invalid, "a point that is not in the template's parameter space"};
  std::string text, where;
  std::size_t next = 0;
  const source_parameter* last = nullptr; // declared in the line before
  for (const auto& line : lines_of(source, syntax)) {
    auto old =
        trimmed(line.text).starts_with(point_mark(syntax)) || (last && defines(*last, line.text, syntax));
    last = nullptr;
    if (old)
      continue;
    text.append(line.text).append("\n");
    if (!line.declared)
      continue;
    last = &(*parameters)[next];
    text += constant_line(syntax, last->name, last->values[point[next]]) + "\n";
    where += (next ? ", \"" : "\"") + last->name + "\": \"" +
             std::string{unquoted(last->values[point[next]])} + "\"";
    if (++next == parameters->size())
      text += point_mark(syntax) + where + "}\n";
  }
  return text;
}

result<std::string> at_first_values(std::string_view source, const source_syntax& syntax) {
  auto parameters = parameters_of(source, syntax);
  if (!parameters)
    return parameters.error();
  if (parameters->empty() || source.find(point_mark(syntax)) != source.npos)
    return std::string{source};
  return at_point(source, syntax, parameter_point(parameters->size(), 0));
}

} // namespace ke
