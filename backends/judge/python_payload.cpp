#include "backends/judge/python_payload.hpp"

#include "backends/evaluation/harness.hpp"
#include "backends/judge/compiled_baseline.hpp"

#include <algorithm>

namespace ke {
namespace {

std::string list_of(const std::vector<int>& cpus) {
  std::string text;
  for (int cpu : cpus)
    text += (text.empty() ? "" : ",") + std::to_string(cpu);
  return text;
}

const char* class_or_function(python_role role, bool kernelbench) {
  if (role == python_role::candidate || role == python_role::baseline)
    return kernelbench ? "ModelNew" : "kernel,reference";
  if (role == python_role::generator)
    return "make";
  return kernelbench ? "Model" : "reference";
}

const char* kind_of(python_role role, bool kernelbench) {
  switch (role) {
  case python_role::nothing:
    return "nothing";
  case python_role::operators:
    return "operators";
  case python_role::describe:
    return "describe";
  case python_role::maker:
    return "maker";
  case python_role::generator:
    return "generator";
  default:
    return kernelbench ? "model" : "function";
  }
}

/// The text that a role runs, under the name that its errors are told with, and what a compiler left for it.
std::string code_of(const judge_task& task, python_role role, bool kernelbench) {
  const auto& what = task.what;
  const auto& code = role == python_role::candidate   ? task.source
                     : role == python_role::baseline  ? task.baseline_source
                     : role == python_role::generator ? what.generator
                                                      : what.reference;
  std::string file = role == python_role::candidate   ? "candidate.py"
                     : role == python_role::baseline  ? "baseline.py"
                     : role == python_role::generator ? "inputs.py"
                     : kernelbench                    ? what.name + ".py"
                                                      : "reference.py";
  auto text = "text " + file + ' ' + std::to_string(code.size()) + '\n';
  const auto* files = is_compiling(task, code) ? &task.compiled
                      : role == python_role::candidate && !task.candidate_files.empty()
                          ? &task.candidate_files
                          : nullptr;
  if (files)
    text += "compiled " + std::to_string(files->size()) + '\n';
  text += '\n' + code;
  return files ? text + *files : text;
}

} // namespace

bool is_kernelbench(const problem& what) {
  if (what.reference_language != "python")
    return false;
  return what.tensors.empty() || std::any_of(what.tensors.begin(), what.tensors.end(),
                                             [](const tensor_spec& t) { return t.init == "get_inputs"; });
}

bool is_wider_in_python(const tensor_spec& t) {
  if (is_float8(t.dtype))
    return t.role == tensor_role::out;
  return is_floating(t.dtype) && t.dtype != dtype::bf16;
}

std::string python_payload(const judge_task& task, python_role role, std::uint64_t seed,
                           const std::vector<int>& cpus) {
  const auto& what = task.what;
  bool kernelbench = is_kernelbench(what), wide = role == python_role::truth;
  std::string text;
  auto line = [&](const char* key, const std::string& value) {
    text += std::string{key} + ' ' + value + '\n';
  };
  line("role", kind_of(role, kernelbench));
  line("name", class_or_function(role, kernelbench));
  line("threads", std::to_string(what.policy.threads));
  line("seed", std::to_string(seed >> 1)); // torch takes 63 bits from everyone
  line("cpus", list_of(cpus));
  if (wide)
    line("wide", "1");
  if (!task.arguments.empty())
    line("init", task.arguments);
  std::string order;
  for (const auto& t : what.tensors) {
    line("tensor",
         std::string{to_text(t.role)} + ' ' + std::string{to_text(t.dtype)} + ' ' +
             std::to_string(wide && is_wider_in_python(t) ? wide_bytes(t.dtype) : bytes_of(t.dtype)) + ' ' +
             std::to_string(t.shape.size()) + (t.any_strides ? " any" : ""));
    if (t.role != tensor_role::out)
      order += 't';
  }
  for (const auto& s : what.scalars)
    line("scalar", s.integer ? "int" : "double");
  order += std::string(what.scalars.size(), 's');
  line("order", task.order.empty() ? order : task.order);
  if (role == python_role::nothing || role == python_role::operators)
    return text + '\n';
  return text + code_of(task, role, kernelbench);
}

} // namespace ke
