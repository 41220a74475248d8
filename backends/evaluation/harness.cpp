#include "backends/evaluation/harness.hpp"

#include "runtime/core/problem.hpp"
#include "runtime/text/filled_text.hpp"

#include <algorithm>
#include <string_view>

namespace ke {

/// harness/ke_shim.cpp and harness/ke_widen.h, embedded by the build.
extern const std::string_view shim_text, widening_text;

namespace {

const char* c_type(dtype d, widening as) {
  bool widened = as != widening::none;
  switch (d) {
  case dtype::f64:
    return widened ? "ke_wide_f64" : "double";
  case dtype::f32:
    return widened ? "ke_wide_f32" : "float";
  case dtype::f16:
    return widened ? "ke_wide_f32" : "_Float16";
  case dtype::bf16:
    return as == widening::all ? "ke_wide_bf16" : "uint16_t";
  case dtype::i64:
    return "int64_t";
  case dtype::i32:
    return "int32_t";
  case dtype::i8:
    return "int8_t";
  case dtype::u8:
  case dtype::boolean:
    return "uint8_t";
  }
  return "void";
}

/// With f64 tensors every double of the reference becomes a long double, scalars too.
bool longest(const problem& what) {
  for (const auto& t : what.tensors)
    if (t.dtype == dtype::f64)
      return true;
  return false;
}

std::string parameters(const problem& what, widening as, bool with_names) {
  std::string text;
  auto add = [&](const std::string& type, const std::string& name) {
    text += (text.empty() ? "" : ", ") + type + (with_names ? " " + name : "");
  };
  for (const auto& t : what.tensors)
    add((t.role == tensor_role::in ? "const " : "") + std::string{c_type(t.dtype, as)} + "*", t.name);
  for (const auto& s : what.scalars)
    add(s.integer ? "int64_t" : as != widening::none && longest(what) ? "ke_wide_f64" : "double", s.name);
  for (const auto& d : what.dims)
    add("int64_t", d);
  return text;
}

} // namespace

std::size_t wide_bytes(dtype d) {
  switch (d) {
  case dtype::f64:
    return sizeof(long double);
  case dtype::f32:
  case dtype::f16:
  case dtype::bf16:
    return 8;
  default:
    return bytes_of(d);
  }
}

bool is_floating(dtype d) {
  return d == dtype::f64 || d == dtype::f32 || d == dtype::f16 || d == dtype::bf16;
}

widening widest_form(const problem& what) {
  bool has_bf16 = std::any_of(what.tensors.begin(), what.tensors.end(),
                              [](const tensor_spec& t) { return t.dtype == dtype::bf16; });
  bool by_helpers = what.reference.find("ke_bf16_to_float") != std::string::npos ||
                    what.reference.find("ke_float_to_bf16") != std::string::npos;
  return has_bf16 && by_helpers ? widening::all : widening::all_but_bf16;
}

std::string kernel_signature(const problem& what) {
  return "extern \"C\" void kernel(" + parameters(what, widening::none, true) + ")";
}

std::string kernel_arguments(const problem& what, const std::map<std::string, std::string>& types) {
  std::string text;
  auto add = [&](const std::string& a) { text += (text.empty() ? "" : ", ") + a; };
  for (const auto& t : what.tensors) {
    auto own = types.find(std::string{to_text(t.dtype)});
    add((t.role == tensor_role::in ? "const " : "") +
        (own == types.end() ? std::string{c_type(t.dtype, widening::none)} : own->second) + "* " + t.name);
  }
  for (const auto& s : what.scalars)
    add((s.integer ? "int64_t " : "double ") + s.name);
  for (const auto& d : what.dims)
    add("int64_t " + d);
  return text;
}

std::string harness_source(const problem& what, widening as) {
  std::string call;
  std::size_t i = 0;
  auto arg = [&](const std::string& text) {
    call += (call.empty() ? "" : ",\n         ") + text;
    ++i;
  };
  auto slot = [&] { return "args[" + std::to_string(i) + "]"; };
  for (const auto& t : what.tensors)
    arg("static_cast<" + std::string{t.role == tensor_role::in ? "const " : ""} + c_type(t.dtype, as) +
        "*>(" + slot() + ")");
  for (const auto& s : what.scalars)
    arg("*static_cast<const " +
        std::string{s.integer              ? "int64_t"
                    : as != widening::none ? "ke_wide_f32"
                                           : "double"} +
        "*>(" + slot() + ")");
  for (std::size_t d = 0; d < what.dims.size(); ++d)
    arg("*static_cast<const int64_t*>(" + slot() + ")");
  return filled_text(shim_text, {{"parameters", parameters(what, as, false)}, {"arguments", call}});
}

std::string widening_header(const problem& what, widening as) {
  return std::string{longest(what) ? "#define KE_WIDE_F64\n" : ""} +
         (as == widening::all ? "#define KE_WIDE_BF16\n" : "") + std::string{widening_text};
}

} // namespace ke
