#include "backends/evaluation/launch_cases.hpp"

#include "runtime/core/problem.hpp"
#include "runtime/text/expression.hpp"
#include "runtime/text/json_line.hpp"

#include <nlohmann/json.hpp>

#include <optional>

namespace ke {
namespace {

/// None: a shape is no whole number, which the judge tells in its own words.
std::optional<nlohmann::json> arguments_of(const problem& what, const workload& w) {
  auto arguments = nlohmann::json::array();
  for (const auto& t : what.tensors) {
    if (t.role == tensor_role::out)
      continue;
    auto shape = nlohmann::json::array();
    for (const auto& extent : t.shape) {
      auto value = integer_value(extent, w.dims);
      if (!value || *value < 0)
        return std::nullopt;
      shape.push_back(*value);
    }
    arguments.push_back({{"dtype", to_text(t.dtype)}, {"shape", std::move(shape)}});
  }
  for (const auto& s : what.scalars)
    if (s.integer)
      arguments.push_back({{"value", static_cast<std::int64_t>(s.value)}});
    else
      arguments.push_back({{"value", s.value}});
  return arguments;
}

} // namespace

std::vector<std::pair<std::string, std::string>> launch_cases(const problem& what, std::string_view source) {
  bool kernelbench = what.tensors.empty(); // only Python knows them
  auto calls = nlohmann::json::array();
  for (const auto& w : what.workloads)
    if (auto arguments = w.held_out || kernelbench ? std::nullopt : arguments_of(what, w))
      calls.push_back({{"name", w.name}, {"arguments", *std::move(arguments)}});
  nlohmann::json all{
      {"kernelbench", kernelbench},
      {"calls", std::move(calls)},
      {"is_reference", source.starts_with(what.reference)}}; // with what makes a candidate of it
  std::vector<std::pair<std::string, std::string>> files{{"calls.json", json_line(all) + '\n'}};
  if (kernelbench)
    files.emplace_back("problem.py", what.reference);
  return files;
}

} // namespace ke
