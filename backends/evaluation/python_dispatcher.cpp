#include "backends/evaluation/dispatcher.hpp"
#include "runtime/core/digest.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/text/json_line.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>
#include <string_view>

namespace ke {

/// harness/dispatcher_loader.py, embedded by the build: how a part of a dispatcher becomes a module.
extern const std::string_view dispatcher_loader;

namespace {

/// An extent that is this dim and nothing else.
std::optional<std::string> extent_of(const problem& what, const std::string& dim) {
  std::size_t argument = 0;
  for (const auto& t : what.tensors) {
    if (t.role == tensor_role::out)
      continue;
    for (std::size_t axis = 0; axis < t.shape.size(); ++axis)
      if (t.shape[axis] == dim)
        return "arguments[" + std::to_string(argument) + "].shape[" + std::to_string(axis) + "]";
    ++argument;
  }
  return std::nullopt;
}

} // namespace

std::string python_literal(std::string_view text) {
  std::string literal = "(\n";
  for (std::size_t at = 0; at < text.size();) {
    auto end = std::min(text.find('\n', at), text.size() - 1) + 1;
    // What JSON escapes, Python reads the same way; pairs of surrogates, which it doesn't, stay characters.
    literal += "    " + json_line(nlohmann::json(std::string{text.substr(at, end - at)})) + "\n";
    at = end;
  }
  return literal + (text.empty() ? "    \"\"\n)" : ")");
}

result<std::string> python_dispatcher(const problem& what, const std::vector<dispatcher_part>& parts,
                                      const std::vector<dispatcher_rule>& rules,
                                      const dispatcher_part& fallback) {
  std::vector<std::string> extents;
  for (const auto& dim : what.dims) {
    auto extent = extent_of(what, dim);
    if (!extent)
      return failure{failure_kind::invalid,
                     "no input has the extent " + dim + " by itself, so nothing tells which shape it is"};
    extents.push_back(*std::move(extent));
  }
  std::string sources;
  for (const auto& p : parts)
    sources += p.source;
  auto prefix = "ke_" + digest_of(sources + fallback.source).substr(0, 8) + "_";
  auto text = dispatcher_heading("#", what, parts, rules, fallback);
  text.append(dispatcher_loader).append("\n\n");
  auto add = [&](const std::string& name, const dispatcher_part& p, const char* functions) {
    text += "# " + comment_text(p.name) + "\n_" + name + " = _part(\"" + prefix + name + "\", " + functions +
            ", " + python_literal(p.source) + ")\n\n";
  };
  constexpr auto as_candidate = "(\"kernel\", \"reference\")";
  for (std::size_t i = 0; i < parts.size(); ++i)
    add(std::to_string(i), parts[i], as_candidate);
  add("fallback", fallback, fallback.source == what.reference ? "(\"reference\",)" : as_candidate);
  text += "\ndef kernel(*arguments):\n";
  for (const auto& r : rules) {
    std::string condition;
    for (std::size_t d = 0; d < r.where.size(); ++d)
      condition += (d ? " and " : "") + std::to_string(r.where[d].low) + " <= " + extents[d] +
                   " <= " + std::to_string(r.where[d].high);
    text += "    if " + condition + ":\n        return _" + std::to_string(r.part) + "(*arguments)\n";
  }
  return text + "    return _fallback(*arguments)\n";
}

} // namespace ke
