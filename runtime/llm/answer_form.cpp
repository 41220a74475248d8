#include "runtime/llm/answer_form.hpp"

#include "runtime/core/problem.hpp"
#include "runtime/text/candidate_language.hpp"
#include "runtime/text/source_tokens.hpp"

#include <algorithm>
#include <array>

namespace ke {

bool is_python(const problem& p) {
  return p.reference_language == "python";
}

std::string symbol_of(const problem& p) {
  return is_python(p) && p.tensors.empty() ? "ModelNew" : "kernel";
}

std::string reference_as_candidate(const problem& p) {
  if (symbol_of(p) != "ModelNew")
    return p.reference; // a function of either name will do
  return p.reference + "\n\nclass ModelNew(Model):\n    pass\n";
}

namespace {

/// The arguments of a native candidate, with types of its language where it has its own.
std::string native_arguments(const problem& p, const std::map<std::string, std::string>& types) {
  static constexpr std::array<std::string_view, names_of<dtype>::value.size()> c_type{
      "double", "float",   "_Float16", "uint16_t", "int64_t", "int32_t",
      "int8_t", "uint8_t", "uint8_t",  "uint8_t",  "uint8_t"};
  std::string arguments;
  auto add = [&](const std::string& a) { arguments += (arguments.empty() ? "" : ", ") + a; };
  for (const auto& t : p.tensors) {
    auto own = types.find(std::string{to_text(t.dtype)});
    add((t.role == tensor_role::in ? "const " : "") +
        (own == types.end() ? std::string{c_type[static_cast<int>(t.dtype)]} : own->second) + "* " + t.name);
  }
  for (const auto& s : p.scalars)
    add((s.integer ? "int64_t " : "double ") + s.name);
  for (const auto& d : p.dims)
    add("int64_t " + d);
  return arguments;
}

/// For which shapes it must be right; `sizes`: those that are checked beside the workloads'.
std::string shapes_text(const problem& p, const std::string& sizes) {
  bool promised = !p.promise.empty() || !p.relations.empty();
  return std::string{"It must be right for every shape"} + (promised ? " that is promised below" : "") +
         ", not only for the workloads above: " + (promised ? "where the promise allows them, " : "") + sizes;
}

bool has(const problem& p, dtype d) {
  return std::any_of(p.tensors.begin(), p.tensors.end(), [&](const tensor_spec& t) { return t.dtype == d; });
}

/// How the ABI carries what C++ has no type for.
std::string carried_text(const problem& p, const candidate_language& language) {
  // What ke.h has for a type whose bits lie in a `carrier`.
  auto helpers = [&](const std::string& type, const std::string& carrier) {
    return language.syntax.family != source_language::cpp
               ? std::string{".\n"}
               : "; `#include \"ke.h\"` gives `float ke_" + type + "_to_float(" + carrier + ")` and `" +
                     carrier + " ke_float_to_" + type + "(float)`, which rounds to nearest.\n";
  };
  std::string text;
  if (has(p, dtype::bf16) && !language.types.contains("bf16"))
    text += "A bf16 is its upper 16 bits of a float in a uint16_t" + helpers("bf16", "uint16_t");
  if (has(p, dtype::f8e4m3))
    text +=
        "An f8e4m3 is its bits in a uint8_t: a sign, 4 bits of exponent with the bias 7, 3 of fraction; 0x7f "
        "and 0xff are NaN, nothing is infinite, and what is above 448 becomes 448" +
        helpers("f8e4m3", "uint8_t");
  if (has(p, dtype::f8e5m2))
    text += "An f8e5m2 is its bits in a uint8_t: the upper byte of an IEEE half, up to 57344, infinite from "
            "61440 on" +
            helpers("f8e5m2", "uint8_t");
  if (has(p, dtype::boolean))
    text += "A bool is 0 or 1 in a uint8_t.\n";
  return text;
}

std::string filled_arguments(std::string prototype, const std::string& arguments) {
  constexpr std::string_view mark = "{arguments}";
  return prototype.replace(prototype.find(mark), mark.size(), arguments);
}

/// What PyTorch calls types that it hardly computes in.
std::string converted_text(const problem& p) {
  std::string text;
  if (has(p, dtype::f8e4m3))
    text +=
        "An f8e4m3 is a torch.float8_e4m3fn; `.to` rounds to nearest, and what is above 448 becomes 448. ";
  if (has(p, dtype::f8e5m2))
    text += "An f8e5m2 is a torch.float8_e5m2; `.to` rounds to nearest, from 61440 on to infinity. ";
  return text.empty() ? text : text + "PyTorch hardly computes in it: convert first.\n";
}

/// The function that a native candidate must be, whatever it is written in.
std::string native_definition(const problem& p, const candidate_language& language) {
  if (!language.prototype.empty())
    return "Write it in the language " + language.name + ", in which it must define\n```" + language.fence() +
           "\n" + filled_arguments(language.prototype, native_arguments(p, language.types)) + ";\n```\n" +
           (language.own_names ? "or functions of other names with these arguments.\n" : "") +
           (language.form.empty() ? language.form : language.form + "\n");
  auto signature = "\n```" + (language.name == p.reference_language ? language.fence() : std::string{"c"}) +
                   "\n" + native_signature(p) + ";\n```\n";
  if (language.name == p.reference_language)
    return "It must define" + signature;
  return "Write it in the language " + language.name +
         ", in which it must define the kernel that is this function of the C ABI:" + signature +
         (language.form.empty() ? language.form : language.form + "\n");
}

} // namespace

std::string native_signature(const problem& p) {
  return "extern \"C\" void kernel(" + native_arguments(p, {}) + ")";
}

std::string definition_of(const problem& p, const candidate_language& language) {
  if (!is_python(p))
    return native_definition(p, language) + "Tensors are contiguous, row-major, only element-aligned. " +
           shapes_text(p, "odd, prime, one and empty sizes are checked too, with secret inputs, on the very "
                          "calls that are timed.\n") +
           carried_text(p, language);
  std::string changed;
  bool views = false;
  for (const auto& t : p.tensors) {
    if (t.role == tensor_role::inout)
      changed += (changed.empty() ? "" : ", ") + t.name;
    views = views || t.any_strides;
  }
  std::string checked =
      "Inputs are " + std::string{views ? "" : "contiguous "} + (language.form.empty() ? "CPU " : "") +
      "tensors with secret values, new ones in every call" + (views ? ", contiguous in the timed ones" : "") +
      "; the results of the very calls that are timed are checked. " +
      (changed.empty() ? "Inputs may not be changed.\n"
                       : "Change " + changed + " in place, as the reference does, and no other input.\n") +
      (language.form.empty() ? language.form : language.form + "\n");
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
         (results.empty() ? "nothing" : results) + " as the reference does. " +
         shapes_text(p, "odd, prime and one are checked too. ") + checked + converted_text(p);
}

} // namespace ke
