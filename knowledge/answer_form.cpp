#include "knowledge/answer_form.hpp"

namespace ke {

source_language language_of(const problem& p) {
  return language_named(p.reference_language);
}

bool is_python(const problem& p) {
  return language_of(p) == source_language::python;
}

answer_form answer_form_of(const problem& p) {
  if (!is_python(p))
    return {"cpp", "kernel"};
  return {"python", p.tensors.empty() ? "ModelNew" : "kernel"};
}

std::string reference_as_candidate(const problem& p) {
  if (answer_form_of(p).symbol != "ModelNew")
    return p.reference; // a function of either name will do
  return p.reference + "\n\nclass ModelNew(Model):\n    pass\n";
}

std::string native_signature(const problem& p) {
  static constexpr std::string_view c_type[] = {"double",  "float",  "_Float16", "uint16_t", "int64_t",
                                                "int32_t", "int8_t", "uint8_t",  "uint8_t"};
  std::string arguments;
  auto add = [&](const std::string& a) { arguments += (arguments.empty() ? "" : ", ") + a; };
  for (const auto& t : p.tensors)
    add((t.role == tensor_role::in ? "const " : "") + std::string{c_type[static_cast<int>(t.dtype)]} + "* " +
        t.name);
  for (const auto& s : p.scalars)
    add((s.integer ? "int64_t " : "double ") + s.name);
  for (const auto& d : p.dims)
    add("int64_t " + d);
  return "extern \"C\" void kernel(" + arguments + ")";
}

std::string definition_of(const problem& p) {
  if (!is_python(p))
    return "It must define\n```cpp\n" + native_signature(p) +
           ";\n```\nTensors are contiguous, row-major, only element-aligned. It must be right for "
           "every shape, not only for the workloads "
           "above: odd, prime, one and empty sizes are checked too, with secret inputs, on the "
           "very calls that are timed.\n";
  std::string checked =
      "Inputs are contiguous CPU tensors with secret values, new ones in every call; the results "
      "of the very calls that are timed are checked. Inputs may not be changed.\n";
  if (p.tensors.empty())
    return "It must define `class ModelNew(nn.Module)`, which is made and called like `Model` of the "
           "reference and "
           "returns tensors of the same shapes and types. Parameters get the same values as the reference's "
           "if "
           "they are made in the same order.\n" +
           checked;
  std::string arguments, results;
  auto add = [](std::string& to, const std::string& name) { to += (to.empty() ? "" : ", ") + name; };
  for (const auto& t : p.tensors)
    add(t.role == tensor_role::out ? results : arguments, t.name);
  for (const auto& s : p.scalars)
    add(arguments, s.name);
  return "It must define the Python function `kernel(" + arguments + ")` on PyTorch tensors, which returns " +
         (results.empty() ? "nothing" : results) +
         " as the reference does. It must be right for every shape, not only for the workloads above: odd, "
         "prime "
         "and one are checked too. " +
         checked;
}

} // namespace ke
