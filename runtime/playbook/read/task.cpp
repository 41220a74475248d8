#include "runtime/playbook/read/task.hpp"

#include "runtime/text/json_line.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace ke::playbook {
namespace {

using json = nlohmann::json;

std::string text_at(const json& where, const char* key) {
  auto it = where.is_object() ? where.find(key) : where.end();
  return where.is_object() && it != where.end() && it->is_string() ? it->get<std::string>() : std::string{};
}

const json& node_at(const json& where, const char* key) {
  static const json nothing;
  if (!where.is_object())
    return nothing;
  auto it = where.find(key);
  return it == where.end() ? nothing : *it;
}

/// A whole number that fits. A block may hold any: 1e69 is none, and converting it is undefined.
std::optional<std::int64_t> whole(const json& x) {
  if (x.is_number_integer())
    return x.get<std::int64_t>();
  if (auto number = x.is_number() ? x.get<double>() : 0.5; std::fabs(number) <= 9007199254740992.0)
    if (auto cut = static_cast<std::int64_t>(number); static_cast<double>(cut) == number)
      return cut;
  return std::nullopt;
}

std::int64_t int_at(const json& where, const char* key, std::int64_t otherwise) {
  return whole(node_at(where, key)).value_or(otherwise);
}

std::vector<std::string> texts_at(const json& where, const char* key) {
  std::vector<std::string> out;
  for (const auto& x : node_at(where, key)) {
    if (x.is_string())
      out.push_back(x.get<std::string>());
    else if (x.is_number_integer())
      out.push_back(std::to_string(x.get<std::int64_t>()));
  }
  return out;
}

std::optional<point> read_point(const json& where) {
  if (!where.is_object())
    return std::nullopt;
  point out;
  out.plan = text_at(where, "plan");
  for (auto it = where.begin(); it != where.end(); ++it)
    if (it->is_number_integer())
      out.parameters[it.key()] = it->get<std::int64_t>();
  return out;
}

void read_problem(const json& from, task& to) {
  to.name = text_at(from, "name");
  to.family = text_at(from, "family");
  to.formula = text_at(from, "formula");
  to.dims = texts_at(from, "dims");
  for (const auto& x : node_at(from, "tensors"))
    to.tensors.push_back({text_at(x, "name"), text_at(x, "role"), text_at(x, "dtype"), texts_at(x, "shape")});
  for (const auto& x : node_at(from, "scalars"))
    to.scalars.push_back({text_at(x, "name"), text_at(x, "type") == "int64_t"});
  for (const auto& x : node_at(from, "workloads")) {
    std::map<std::string, std::int64_t> dims;
    const auto& bound = node_at(x, "dims");
    if (bound.is_object())
      for (auto it = bound.begin(); it != bound.end(); ++it)
        if (auto extent = whole(*it))
          dims[it.key()] = *extent;
    to.workloads.push_back(std::move(dims));
  }
  const auto& reference = node_at(from, "reference");
  to.reference_language = text_at(reference, "language");
  to.reference = text_at(reference, "source");
  const auto& tolerance = node_at(from, "tolerance");
  const auto& bitwise = node_at(tolerance, "bitwise");
  to.bitwise = bitwise.is_boolean() && bitwise.get<bool>();
  const auto& rtol = node_at(node_at(tolerance, "f32"), "rtol");
  to.f32_rtol = rtol.is_number() ? rtol.get<double>() : 0.0;
  to.threads = int_at(node_at(from, "policy"), "threads", 1);
}

} // namespace

std::string to_json(const point& x) {
  json out = json::object();
  out["plan"] = x.plan;
  for (const auto& [name, value] : x.parameters)
    out[name] = value;
  return json_line(out);
}

std::optional<std::string_view> task_block(std::string_view prompt) {
  constexpr std::string_view fence = "```ke-task";
  auto begin = prompt.find(fence);
  if (begin == std::string_view::npos)
    return std::nullopt;
  begin = prompt.find('\n', begin);
  if (begin == std::string_view::npos)
    return std::nullopt;
  // JSON escapes its line ends, so that only the block's own fence can open a line.
  auto end = prompt.find("\n```", begin);
  if (end == std::string_view::npos)
    return std::nullopt;
  return prompt.substr(begin + 1, end - begin - 1);
}

task_reading read_task(std::string_view prompt) {
  auto block = task_block(prompt);
  if (!block)
    return {std::nullopt, "the prompt has no closed `ke-task` block"};
  auto root = json::parse(block->begin(), block->end(), nullptr, false);
  if (root.is_discarded() || !root.is_object())
    return {std::nullopt, "the `ke-task` block is not a JSON object"};
  try {
    if (int_at(root, "version", 0) != 1)
      return {std::nullopt, "the `ke-task` block is not of version 1"};
    task out;
    read_problem(node_at(root, "problem"), out);
    const auto& target = node_at(root, "target");
    out.backend = text_at(target, "backend");
    out.isa = text_at(node_at(target, "facts"), "isa");
    // Facts are texts; more threads than cores only wait for each other.
    auto cores = text_at(node_at(target, "facts"), "cores");
    if (!cores.empty() && cores.size() < 6 && cores.find_first_not_of("0123456789") == std::string::npos)
      out.threads = std::min<std::int64_t>(out.threads, std::max<std::int64_t>(1, std::stoll(cores)));
    if (auto operation = text_at(root, "operation"); !operation.empty())
      out.operation = operation;
    out.draft = int_at(root, "draft", 0);
    const auto& seed = node_at(root, "seed");
    out.seed = seed.is_number_unsigned() ? seed.get<std::uint64_t>()
                                         : static_cast<std::uint64_t>(int_at(root, "seed", 0));
    out.parent = read_point(node_at(node_at(root, "parent"), "point"));
    out.tried = texts_at(root, "tried");
    out.bottleneck = text_at(node_at(root, "diagnosis"), "bottleneck");
    return {std::move(out), {}};
  } catch (const std::exception& error) {
    return {std::nullopt, std::string{"the `ke-task` block cannot be read: "} + error.what()};
  }
}

} // namespace ke::playbook
