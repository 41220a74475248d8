#include "backends/evaluation/harness.hpp"

#include "runtime/core/problem.hpp"
#include "runtime/text/filled_text.hpp"

#include <algorithm>
#include <regex>
#include <set>
#include <string_view>

namespace ke {

/// harness/ke_shim.cpp and harness/ke_widen.h, embedded by the build.
extern const std::string_view shim_text, widening_text;

namespace {

bool says(const problem& what, const char* helper) {
  return what.reference.find(helper) != std::string::npos;
}

bool widens_bf16(const problem& what) {
  bool there = std::any_of(what.tensors.begin(), what.tensors.end(),
                           [](const tensor_spec& t) { return t.dtype == dtype::bf16; });
  return there && (says(what, "ke_bf16_to_float") || says(what, "ke_float_to_bf16"));
}

/// Whether every uint8_t of the C ABI is a number of this type and the reference writes some of them by the helper
/// of ke.h. Those that are only read are exact as they are.
bool widens_float8(const problem& what, dtype d) {
  bool written = false;
  for (const auto& t : what.tensors) {
    if (t.dtype != d && (is_float8(t.dtype) || t.dtype == dtype::u8 || t.dtype == dtype::boolean))
      return false;
    written = written || (t.dtype == d && t.role != tensor_role::in);
  }
  return written && says(what, d == dtype::f8e4m3 ? "ke_float_to_f8e4m3" : "ke_float_to_f8e5m2");
}

const char* c_type(const problem& what, dtype d, widening as) {
  bool wider = is_wider(what, d, as);
  switch (d) {
  case dtype::f64:
    return wider ? "ke_wide_f64" : "double";
  case dtype::f32:
    return wider ? "ke_wide_f32" : "float";
  case dtype::f16:
    return wider ? "ke_wide_f32" : "_Float16";
  case dtype::bf16:
    return wider ? "ke_wide_bf16" : "uint16_t";
  case dtype::i64:
    return "int64_t";
  case dtype::i32:
    return "int32_t";
  case dtype::i8:
    return "int8_t";
  case dtype::u8:
  case dtype::boolean:
    return "uint8_t";
  case dtype::f8e4m3:
  case dtype::f8e5m2:
    return wider ? "ke_wide_f8" : "uint8_t";
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

/// What a text includes from outside of its folder, as includes of what is there. Each takes the compiler longer
/// than the reference itself, so no others are.
std::string standard_headers(const std::string& text) {
  static const std::regex include{R"((^|\n)[ \t]*#[ \t]*include[ \t]*<([A-Za-z0-9_./+-]+)>)"};
  std::set<std::string> names;
  for (std::sregex_iterator i{text.begin(), text.end(), include}, end; i != end; ++i)
    names.insert((*i)[2]);
  std::string lines;
  for (const auto& name : names)
    lines += "#if __has_include(<" + name + ">)\n#include <" + name + ">\n#endif\n";
  return lines;
}

std::string parameters(const problem& what, widening as, bool with_names) {
  std::string text;
  auto add = [&](const std::string& type, const std::string& name) {
    text += (text.empty() ? "" : ", ") + type + (with_names ? " " + name : "");
  };
  for (const auto& t : what.tensors)
    add((t.role == tensor_role::in ? "const " : "") + std::string{c_type(what, t.dtype, as)} + "*", t.name);
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
  case dtype::f8e4m3:
  case dtype::f8e5m2:
    return 8;
  default:
    return bytes_of(d);
  }
}

bool is_wider(const problem& what, dtype d, widening as) {
  if (as == widening::none || !is_carried(d))
    return as != widening::none && is_floating(d);
  return as == widening::all && (d == dtype::bf16 ? widens_bf16(what) : widens_float8(what, d));
}

widening widest_form(const problem& what) {
  bool any = std::any_of(what.tensors.begin(), what.tensors.end(), [&](const tensor_spec& t) {
    return is_carried(t.dtype) && is_wider(what, t.dtype, widening::all);
  });
  return any ? widening::all : widening::all_but_carried;
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
        (own == types.end() ? std::string{c_type(what, t.dtype, widening::none)} : own->second) + "* " +
        t.name);
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
    arg("static_cast<" + std::string{t.role == tensor_role::in ? "const " : ""} + c_type(what, t.dtype, as) +
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

std::string widening_header(const problem& what, widening as, std::string_view included) {
  std::string known;
  auto define = [&](bool holds, const char* name) {
    known += holds ? std::string{"#define "} + name + "\n" : std::string{};
  };
  define(longest(what), "KE_WIDE_F64");
  define(is_wider(what, dtype::bf16, as), "KE_WIDE_BF16");
  define(is_wider(what, dtype::f8e4m3, as), "KE_WIDE_F8E4M3");
  define(is_wider(what, dtype::f8e5m2, as), "KE_WIDE_F8E5M2");
  return known + standard_headers(what.reference + '\n' + std::string{included}) + std::string{widening_text};
}

} // namespace ke
