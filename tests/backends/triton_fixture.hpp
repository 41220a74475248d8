#pragma once

#include "runtime/core/problem.hpp"
#include "tests/backends/torch_fixture.hpp"
#include "tests/places.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

namespace ke_test {

/// A candidate of tests/fixtures/triton.
inline std::string triton_candidate(const std::string& name) {
  auto file = std::filesystem::path{ke::test::source_dir()} / "tests/fixtures/triton" / (name + ".py");
  std::ifstream in{file};
  std::stringstream text;
  text << in.rdbuf();
  REQUIRE(!text.str().empty());
  return text.str();
}

/// The same with one text in place of another that it holds.
inline std::string changed(std::string source, const std::string& from, const std::string& to) {
  auto at = source.find(from);
  REQUIRE(at != source.npos);
  return source.replace(at, from.size(), to);
}

inline ke::tensor_spec tensor(const char* name, ke::tensor_role role, std::vector<std::string> shape,
                              ke::dtype type = ke::dtype::f32) {
  ke::tensor_spec t;
  t.name = name;
  t.role = role;
  t.shape = std::move(shape);
  t.dtype = type;
  return t;
}

inline ke::problem of_python(const char* name, const std::string& reference) {
  ke::problem p;
  p.name = name;
  p.reference_language = "python";
  p.reference = "import torch\n\n\ndef " + reference + "\n";
  return p;
}

/// Softmax of rows, small enough to be judged by an interpreter in seconds.
inline ke::problem softmax_rows() {
  auto p = of_python("softmax", "reference(x):\n    return torch.softmax(x, dim=1)");
  p.dims = {"M", "N"};
  p.tensors = {tensor("x", ke::tensor_role::in, {"M", "N"}), tensor("y", ke::tensor_role::out, {"M", "N"})};
  p.workloads = {{"wide", {{"M", 12}, {"N", 300}}, 1.0, false}, {"small", {{"M", 5}, {"N", 33}}, 1.0, false}};
  return p;
}

inline ke::problem layer_norm() {
  auto p = of_python("layer_norm",
                     "reference(x, w, b):\n    return torch.nn.functional.layer_norm(x, x.shape[1:], w, b)");
  p.dims = {"M", "N"};
  p.tensors = {tensor("x", ke::tensor_role::in, {"M", "N"}), tensor("w", ke::tensor_role::in, {"N"}),
               tensor("b", ke::tensor_role::in, {"N"}), tensor("y", ke::tensor_role::out, {"M", "N"})};
  p.workloads = {{"wide", {{"M", 8}, {"N", 300}}, 1.0, false}, {"small", {{"M", 5}, {"N", 40}}, 1.0, false}};
  p.promise["N"] = {2, 4096, 1};
  return p;
}

inline ke::problem product(ke::dtype type = ke::dtype::f32) {
  auto p = of_python("product", "reference(a, b):\n    return a @ b");
  p.dims = {"M", "N", "K"};
  p.tensors = {tensor("a", ke::tensor_role::in, {"M", "K"}, type),
               tensor("b", ke::tensor_role::in, {"K", "N"}, type),
               tensor("c", ke::tensor_role::out, {"M", "N"}, type)};
  p.workloads = {{"square", {{"M", 64}, {"N", 48}, {"K", 80}}, 1.0, false},
                 {"ragged", {{"M", 33}, {"N", 40}, {"K", 70}}, 1.0, false}};
  return p;
}

/// A KernelBench file whose Model is a linear layer and GELU.
inline ke::problem linear_gelu() {
  auto p =
      kernelbench("return F.gelu(self.linear(x))", "torch.randn(24, 40)", "self.linear = nn.Linear(40, 36)");
  p.reference = changed(p.reference, "def __init__(self):", "def __init__(self, inputs, outputs):");
  p.reference = changed(p.reference, "nn.Linear(40, 36)", "nn.Linear(inputs, outputs)");
  p.reference =
      changed(p.reference, "get_init_inputs():\n    return []", "get_init_inputs():\n    return [40, 36]");
  return p;
}

} // namespace ke_test
