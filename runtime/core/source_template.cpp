#include "runtime/core/source_template.hpp"

#include "runtime/core/source_text.hpp"

#include <algorithm>
#include <cctype>
#include <optional>

namespace ke {
namespace {

constexpr std::string_view mark = "ke-param:";

/// What follows the mark, if the line is a comment that begins with it.
std::optional<std::string_view> declaration(std::string_view line) {
  line = trimmed(line);
  if (line.starts_with("//"))
    line.remove_prefix(2);
  else if (line.starts_with("#"))
    line.remove_prefix(1);
  else
    return std::nullopt;
  line = trimmed(line);
  if (!line.starts_with(mark))
    return std::nullopt;
  return trimmed(line.substr(mark.size()));
}

bool is_name(std::string_view s) {
  return !s.empty() && !std::isdigit(static_cast<unsigned char>(s[0])) &&
         std::all_of(s.begin(), s.end(), [](unsigned char c) { return std::isalnum(c) || c == '_'; });
}
bool is_value(std::string_view s) {
  return !s.empty() && s.size() <= 64 && std::all_of(s.begin(), s.end(), [](unsigned char c) {
    return std::isalnum(c) || c == '_' || c == '.' || c == '+' || c == '-';
  });
}

failure wrong(std::size_t line, const std::string& why) {
  return {failure_kind::no_code, "line " + std::to_string(line) + ": " + why, false};
}

template <class F>
void each_line(std::string_view text, F f) {
  for (std::size_t number = 1; !text.empty(); ++number) {
    auto end = text.find('\n');
    f(number, text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
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
      return wrong(line, "the values of parameter " + p.name +
                             " are words or numbers with `|` between them, at most 64 characters each");
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

std::string definition(const source_parameter& p, std::uint32_t value, bool python) {
  return python ? p.name + " = " + p.values[value] : "#define " + p.name + " " + p.values[value];
}

/// Whether a line defines the parameter, with whatever value.
bool defines(const source_parameter& p, std::string_view line) {
  line = trimmed(line);
  if (line.starts_with("#define "))
    return trimmed(line.substr(8)).substr(0, p.name.size() + 1) == p.name + " ";
  return line.starts_with(p.name) && trimmed(line.substr(p.name.size())).starts_with("=") &&
         !trimmed(line.substr(p.name.size())).starts_with("==");
}

bool is_point(std::string_view line) {
  line = trimmed(line);
  return line.starts_with("// ke-point: {") || line.starts_with("# ke-point: {");
}

} // namespace

result<std::vector<source_parameter>> parameters_of(std::string_view source) {
  std::vector<source_parameter> all;
  std::optional<failure> bad;
  each_line(source, [&](std::size_t number, std::string_view line) {
    auto text = declaration(line);
    if (!text || bad)
      return;
    auto p = read(*text, number);
    if (!p)
      bad = p.error();
    else if (std::any_of(all.begin(), all.end(), [&](const auto& q) { return q.name == p->name; }))
      bad = wrong(number, "parameter " + p->name + " is declared twice");
    else if (all.size() == most_parameters)
      bad = wrong(number, "a template has at most " + std::to_string(most_parameters) + " parameters");
    else
      all.push_back(std::move(*p));
  });
  if (bad)
    return *bad;
  return all;
}

parameter_point point_in(std::string_view source, const std::vector<source_parameter>& parameters) {
  parameter_point point(parameters.size(), 0);
  std::size_t next = 0;
  const source_parameter* last = nullptr;
  each_line(source, [&](std::size_t, std::string_view line) {
    if (last)
      for (std::uint32_t i = 0; i < last->values.size(); ++i)
        if (trimmed(line) == definition(*last, i, false) || trimmed(line) == definition(*last, i, true))
          point[next - 1] = i;
    last = declaration(line) && next < parameters.size() ? &parameters[next++] : nullptr;
  });
  return point;
}

result<std::string> at_point(std::string_view source, const parameter_point& point) {
  auto parameters = parameters_of(source);
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
  each_line(source, [&](std::size_t, std::string_view line) {
    auto old = is_point(line) || (last && defines(*last, line));
    last = nullptr;
    if (old)
      return;
    text.append(line).append("\n");
    if (!declaration(line))
      return;
    last = &(*parameters)[next];
    auto python = trimmed(line).starts_with("#");
    text += definition(*last, point[next], python) + "\n";
    where += (next ? ", \"" : "\"") + last->name + "\": \"" + last->values[point[next]] + "\"";
    if (++next == parameters->size())
      text += (python ? "# ke-point: {" : "// ke-point: {") + where + "}\n";
  });
  return text;
}

} // namespace ke
