#pragma once

#include "backends/judge/secret_random.hpp"
#include "backends/judge/values.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/result.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ke {

/// How the values of one case are drawn. `init` follows each tensor's own `init`. `uniform` to `mostly_zero`
/// bend floating tensors drawn at random ("normal", "uniform"), vary those with a form (forms.hpp), and leave
/// index-like data alone. `beyond` goes as far as `value_reach` says. None leaves a tensor's range.
enum class distribution : std::uint8_t { init, uniform, large, small, mostly_zero, beyond };
KE_NAMES(distribution, 6, "init", "uniform", "large", "small", "mostly_zero", "beyond")

/// Facts about the values of one tensor in one shape.
struct value_limits {
  std::map<std::string, std::int64_t> dims = {};
  value_reach reach = {}; ///< of `beyond`
};

/// Fresh contents of one tensor. `elements` = product of its shape, `last` = its last dimension (onehot).
/// `what` has the files. `invalid` if a .npy initialiser does not fit.
result<std::string> draw_tensor(const problem& what, const tensor_spec& t, std::size_t elements,
                                std::size_t last, distribution d, random_source& random,
                                const value_limits& limits = {});

/// Whether draw_tensor draws each element of this tensor by itself, the same way, unless it goes `beyond`.
bool draws_each_alike(const tensor_spec& t);

/// Replaces one element by another value of the same kind. Nothing for tensors with fixed values (zeros,
/// onehot, files) or a form.
bool perturb_one(const tensor_spec& t, std::string& bytes, random_source& random,
                 const value_limits& limits = {});

/// The same values in the truth's wider elements.
std::string widened(dtype d, const std::string& bytes);

/// Element `i` as a number.
double element(dtype d, const void* data, std::size_t i);
/// As a long double, from a widened tensor.
long double wide_element(dtype d, const void* data, std::size_t i);
/// Rounded to the dtype (integers: nearest, clamped).
void set_element(dtype d, void* data, std::size_t i, double value);
/// The same, but no rounding carries it out of the bounds, unless no number of the dtype lies within them.
void set_within(dtype d, void* data, std::size_t i, double value, const std::optional<value_bounds>& bounds);

} // namespace ke
