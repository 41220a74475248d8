#include "backends/evaluation/harness.hpp"

#include "runtime/core/problem.hpp"

#include <algorithm>

namespace ke {
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
    return "uint8_t";
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

/// For references that know bf16 by the helpers of ke.h. Bits that are read or made by hand are those of a
/// rounded one.
constexpr const char* wide_bf16 =
    "struct ke_wide_bf16 {\n"
    "  double value;\n"
    "  ke_wide_bf16() = default;\n"
    "  ke_wide_bf16(uint32_t bits) : value{ke_bf16_to_float(static_cast<uint16_t>(bits))} {}\n"
    "  operator uint32_t() const { return ke_float_to_bf16(static_cast<float>(value)); }\n"
    "};\n"
    "namespace std { using ::ke_wide_bf16; }\n"
    "static inline double ke_of_wide_bf16(ke_wide_bf16 x) { return x.value; }\n"
    "static inline ke_wide_bf16 ke_as_wide_bf16(double value) {\n"
    "  ke_wide_bf16 x;\n"
    "  x.value = value;\n"
    "  return x;\n"
    "}\n";

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
  return "// Generated from the problem: the harness side of the C ABI.\n"
         "#include <stdint.h>\n\n"
         "extern \"C\" void kernel(" +
         parameters(what, as, false) +
         ");\n"
         "extern \"C\" __attribute__((visibility(\"default\"))) void ke_call(void* const* args) {\n"
         "  kernel(" +
         call +
         ");\n"
         "}\n";
}

std::string widening_header(const problem& what, widening as) {
  bool longer = longest(what);
  std::string text =
      "// Generated: the reference in wider arithmetic. Headers first, so that they keep their own types.\n";
  for (const char* h : {"algorithm", "array",   "cassert",  "cfloat",   "climits",  "cmath",       "complex",
                        "cstddef",   "cstdint", "cstdio",   "cstdlib",  "cstring",  "functional",  "limits",
                        "memory",    "numeric", "random",   "string",   "tuple",    "type_traits", "utility",
                        "vector",    "math.h",  "stdint.h", "stdlib.h", "string.h", "omp.h"})
    text += std::string{"#include <"} + h + ">\n";
  text += "#include \"ke.h\"\n";
  text += "using ke_wide_f64 = long double;\nusing ke_wide_f32 = double;\n";
  if (as == widening::all)
    text += wide_bf16;
  std::string wide = longer ? "long double" : "double";
  // A literal keeps its type (0.0f is a float), which would break the deduction of std::max(x, 0.0f).
  text += "namespace std {\n"
          "inline " +
          wide + " max(" + wide + " a, " + wide +
          " b) { return a < b ? b : a; }\n"
          "inline " +
          wide + " min(" + wide + " a, " + wide +
          " b) { return b < a ? b : a; }\n"
          "inline " +
          wide + " clamp(" + wide + " x, " + wide + " a, " + wide +
          " b) { return x < a ? a : b < x ? b : x; }\n"
          "}\n";
  for (const char* f :
       {"sqrt",  "exp",       "exp2",  "expm1",    "log",       "log2",  "log10", "log1p", "sin",
        "cos",   "tan",       "asin",  "acos",     "atan",      "sinh",  "cosh",  "tanh",  "asinh",
        "acosh", "atanh",     "erf",   "erfc",     "fabs",      "floor", "ceil",  "round", "trunc",
        "rint",  "nearbyint", "cbrt",  "tgamma",   "lgamma",    "pow",   "fmod",  "fmax",  "fmin",
        "fma",   "atan2",     "hypot", "copysign", "remainder", "ldexp"})
    text += std::string{"#define "} + f + "f " + (longer ? "std::" : "") + f + "\n";
  text += longer ? "#define double ke_wide_f64\n#define float ke_wide_f32\n#define _Float16 ke_wide_f32\n"
                 : "#define float double\n#define _Float16 double\n";
  if (as == widening::all)
    text += "#define ke_bf16_to_float ke_of_wide_bf16\n#define ke_float_to_bf16 ke_as_wide_bf16\n"
            "#define uint16_t ke_wide_bf16\n";
  return text;
}

} // namespace ke
