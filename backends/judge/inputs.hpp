#pragma once

#include "backends/judge/random.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/result.hpp"

#include <string>
#include <vector>

namespace ke {

/// How the values of one case are drawn. `init` follows each tensor's own `init`; the others bend the
/// floating tensors that are drawn at random ("normal", "uniform") and leave index-like data alone.
enum class distribution : std::uint8_t { init, uniform, large, small, mostly_zero };
KE_NAMES(distribution, 5, "init", "uniform", "large", "small", "mostly_zero")

/// Fresh contents of one tensor. `elements` = product of its shape, `last` = its last dimension (onehot).
/// Files come from `what`. `invalid` if a .npy initialiser does not fit.
result<std::string> draw_tensor(const problem& what, const tensor_spec& t, std::size_t elements,
                                std::size_t last, distribution d, random_source& random);

/// Replaces one element by another value of the same kind. Nothing for tensors whose values are fixed (zeros,
/// onehot, files).
bool perturb_one(const tensor_spec& t, std::string& bytes, random_source& random);

/// The same values in the truth's wider elements.
std::string widened(dtype d, const std::string& bytes);

/// Element `i` as a number.
double element(dtype d, const void* data, std::size_t i);
/// As a long double, from a widened tensor.
long double wide_element(dtype d, const void* data, std::size_t i);
/// Rounded to the dtype (integers: nearest, clamped).
void set_element(dtype d, void* data, std::size_t i, double value);

} // namespace ke
