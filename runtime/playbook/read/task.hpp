#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ke::playbook {

/// One tensor of the C ABI, from the task.
struct task_tensor {
  std::string name;
  std::string role;  ///< in | out | inout
  std::string dtype; ///< product.md's names
  std::vector<std::string> shape;
};

struct task_scalar {
  std::string name;
  bool integer = false;
};

/// A plan's name and parameters: a point of the playbook's space. Ordered, so that equal points print
/// equally.
struct point {
  std::string plan;
  std::map<std::string, std::int64_t> parameters;
  bool operator==(const point&) const = default;
};

/// The parameter `name`, or `otherwise` where the point has none of that name.
inline std::int64_t value_of(const point& p, const std::string& name, std::int64_t otherwise) {
  auto it = p.parameters.find(name);
  return it == p.parameters.end() ? otherwise : it->second;
}

/// One line of JSON: {"plan":"...","name":value,...}.
std::string to_json(const point& x);

/// The playbook's knowledge of a prompt: the `ke-task` block.
struct task {
  std::string name, family, formula;
  std::vector<std::string> dims;
  std::vector<task_tensor> tensors;
  std::vector<task_scalar> scalars;
  std::string reference_language, reference;
  bool bitwise = false;
  double f32_rtol = 0;      ///< 0: the scaled-error rule
  std::int64_t threads = 1; ///< the policy's, at most the target's cores
  std::string backend, isa;
  std::vector<std::map<std::string, std::int64_t>> workloads; ///< dims of each public workload
  std::string operation = "draft";
  std::int64_t draft = 0;
  std::uint64_t seed = 0;
  std::optional<point> parent;
  std::vector<std::string> tried;
  std::string bottleneck; ///< of the diagnosis; empty: unknown
};

/// The content of the first fenced `ke-task` block; nullopt if there is none.
std::optional<std::string_view> task_block(std::string_view prompt);

/// The task, or why the block cannot be read. Never throws.
struct task_reading {
  std::optional<task> found;
  std::string why;
};
task_reading read_task(std::string_view prompt);

} // namespace ke::playbook
