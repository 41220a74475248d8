#pragma once

#include <cstdint>

namespace ke {

enum class dtype : std::uint8_t;

/// What is true of the numbers of a floating dtype; pure. Integers have none of it: 0.

/// Unit roundoff.
double unit_roundoff(dtype d);
/// Between neighbours next to zero.
double least_step(dtype d);
double largest_finite(dtype d);

/// Most that one rounding moves `t`.
double rounding_of(dtype d, double t);

/// `t` as the type can say it: too large is infinite, and of f8e4m3, which has no infinity, the largest
/// number, as PyTorch's conversion and that of ke.h have it.
long double sayable(dtype d, long double t);

/// Beyond it a number is infinite as f32: what rounds to its largest is not, u = 2^-24.
inline constexpr double f32_border = 0x1.fffffep127 * (1 + 0x1p-25);

/// The number with these bits, for f8e4m3 and f8e5m2.
double float8_value(dtype d, std::uint8_t bits);
/// The bits of the nearest number, ties to even; too large as `sayable`. The first NaN for a NaN.
std::uint8_t float8_bits(dtype d, double value);

} // namespace ke
