#include "config/problem_values.hpp"

#include "config/problem_file.hpp"
#include "runtime/core/generated_init.hpp"
#include "runtime/text/expression.hpp"
#include "runtime/toml/config_error.hpp"
#include "runtime/toml/toml_document.hpp"

#include <algorithm>
#include <cmath>

namespace ke {
namespace {

using faults = std::vector<std::pair<std::string, std::string>>;

bool is_whole(dtype d) {
  return !is_floating(d) && d != dtype::boolean;
}

/// Smallest and largest value of an integer type.
std::pair<double, double> ends_of(dtype d) {
  switch (d) {
  case dtype::i64:
    return {-0x1p63, 0x1p63};
  case dtype::i32:
    return {-0x1p31, 0x1p31 - 1};
  case dtype::i8:
    return {-128, 127};
  default:
    return {0, 255};
  }
}

bool binds_all(const problem& p, const workload& w) {
  return w.dims.size() == p.dims.size();
}

/// What is wrong with a form's type.
std::string form_fault(const tensor_spec& t) {
  bool whole = t.init == "permutation" || t.init == "offsets" || t.init == "indices";
  if (whole && !is_whole(t.dtype))
    return "\"" + t.init + "\" holds whole numbers; the tensor is " + std::string{to_text(t.dtype)} +
           ", expected one of i64 | i32 | i8 | u8";
  if (t.init == "simplex" && !is_floating(t.dtype))
    return "\"simplex\" holds fractions; the tensor is " + std::string{to_text(t.dtype)} +
           ", expected one of f64 | f32 | f16 | bf16 | f8e4m3 | f8e5m2";
  if (t.init == "sorted" && t.dtype == dtype::boolean)
    return "\"sorted\" holds numbers; for bool there is \"mask\"";
  if ((t.init == "offsets" || t.init == "indices") && t.range.empty())
    return "\"" + t.init + "\" needs to know what it points into: give a range, e.g. range = [0, \"N\"]";
  return "";
}

/// A permutation of more elements than its type can count.
std::string permutation_fault(const problem& p, const tensor_spec& t) {
  for (const auto& w : p.workloads)
    if (auto extents = tensor_extents(t, w.dims); t.init == "permutation" && extents && !extents->empty())
      if (auto last = static_cast<double>(extents->back()); last - 1 > ends_of(t.dtype).second)
        return "workload \"" + w.name + "\" has " + toml_number(last) + " elements to permute, which " +
               std::string{to_text(t.dtype)} + " cannot count";
  return "";
}

std::string bounds_fault(const problem& p, const tensor_spec& t) {
  if (t.range.size() != 2)
    return "expected two bounds, e.g. [0, \"N\"], found " + std::to_string(t.range.size());
  static const std::vector<std::string> none{"permutation", "mask", "simplex", "onehot"};
  if (std::find(none.begin(), none.end(), t.init) != none.end())
    return "\"" + t.init + "\" has bounds of its own";
  if (t.dtype == dtype::boolean)
    return "a bool is 0 or 1";
  for (const auto& w : p.workloads) {
    if (!binds_all(p, w))
      continue;
    double bounds[2];
    for (int i = 0; i < 2; ++i) {
      auto value = real_value(t.range[static_cast<std::size_t>(i)], w.dims);
      if (!value)
        return value.error().text;
      bounds[i] = *value;
    }
    auto [low, high] = bounds;
    if (t.init == "indices" ? !(low < high) : !(low <= high))
      return "the range is empty for workload \"" + w.name + "\": " + toml_number(low) + " to " +
             toml_number(high) + (t.init == "indices" ? ", the upper one excluded" : "");
    if (auto ends = ends_of(t.dtype); is_whole(t.dtype) && (low < ends.first || high > ends.second + 1))
      return std::string{to_text(t.dtype)} + " holds " + toml_number(ends.first) + " to " +
             toml_number(ends.second) + "; workload \"" + w.name + "\" has " + toml_number(low) + " to " +
             toml_number(high);
  }
  return "";
}

} // namespace

faults value_faults(const problem& of, const tensor_spec& t) {
  static const std::vector<std::string> inits{"normal",  "uniform", "ints",        "onehot",
                                              "zeros",   "sorted",  "permutation", "offsets",
                                              "indices", "mask",    "simplex"};
  faults all;
  auto note = [&](const char* key, std::string text) {
    if (!text.empty())
      all.emplace_back(key, std::move(text));
  };
  if (t.init == generated_init)
    return all;
  bool file = t.init.ends_with(".npy");
  if (!file && std::find(inits.begin(), inits.end(), t.init) == inits.end()) {
    note("init",
         "expected normal | uniform | ints | onehot | zeros | sorted | permutation | offsets | indices "
         "| mask | simplex or the name of a .npy file" +
             did_you_mean(t.init, inits));
    return all;
  }
  if (t.role == tensor_role::out) {
    if (!t.range.empty())
      note("range", "an output is not drawn: the reference computes it");
    if (t.promised)
      note("promise", "an output is not drawn: there is nothing to promise");
    return all;
  }
  if (auto wrong = form_fault(t); !wrong.empty()) {
    note("init", wrong);
    return all;
  }
  note("init", permutation_fault(of, t));
  if (!t.range.empty())
    note("range", bounds_fault(of, t));
  return all;
}

std::string range_fault(const scalar_spec& s) {
  if (s.range.size() != 2)
    return "expected two numbers, found " + std::to_string(s.range.size());
  if (!(s.range[0] <= s.range[1]))
    return "the lower bound " + toml_number(s.range[0]) + " is above the upper one " +
           toml_number(s.range[1]);
  if (s.value < s.range[0] || s.value > s.range[1])
    return "value = " + toml_number(s.value) + " is not within the range";
  for (auto bound : s.range)
    if (s.integer && (bound != std::floor(bound) || std::fabs(bound) > 9007199254740992.0))
      return "an int64_t takes whole numbers of at most 2^53, found " + toml_number(bound);
  return "";
}

} // namespace ke
