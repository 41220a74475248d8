#include "backends/judge/number_format.hpp"

#include "runtime/core/dtype.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ke {
namespace {

/// A format in eight bits: a sign, exponent and `fraction` bits; `least` is the exponent of the least normal
/// number, `nan` the bits of a NaN.
struct float8_format {
  int fraction, least;
  std::uint8_t largest, nan;
};

float8_format format_of(dtype d) {
  return d == dtype::f8e4m3 ? float8_format{3, -6, 0x7e, 0x7f} : float8_format{2, -14, 0x7b, 0x7f};
}

/// From here on a number is none of the type's: half a step above the largest, where ties go up.
bool overflows(dtype d, long double size) {
  if (d == dtype::f8e5m2)
    return size >= 61440;
  return size >
         static_cast<long double>(largest_finite(d)) * (1 + static_cast<long double>(unit_roundoff(d)) / 2);
}

} // namespace

double unit_roundoff(dtype d) {
  switch (d) {
  case dtype::f64:
    return 0x1p-53;
  case dtype::f32:
    return 0x1p-24;
  case dtype::f16:
    return 0x1p-11;
  case dtype::bf16:
    return 0x1p-8;
  case dtype::f8e4m3:
    return 0x1p-4;
  case dtype::f8e5m2:
    return 0x1p-3;
  default:
    return 0;
  }
}

double least_step(dtype d) {
  switch (d) {
  case dtype::f64:
    return std::numeric_limits<double>::denorm_min();
  case dtype::f32:
    return 0x1p-149;
  case dtype::f16:
    return 0x1p-24;
  case dtype::bf16:
    return 0x1p-133;
  case dtype::f8e4m3:
    return 0x1p-9;
  case dtype::f8e5m2:
    return 0x1p-16;
  default:
    return 0;
  }
}

double largest_finite(dtype d) {
  switch (d) {
  case dtype::f64:
    return std::numeric_limits<double>::max();
  case dtype::f32:
    return static_cast<double>(std::numeric_limits<float>::max());
  case dtype::f16:
    return 65504;
  case dtype::bf16:
    return 0x1.fep127;
  case dtype::f8e4m3:
    return 448;
  case dtype::f8e5m2:
    return 57344;
  default:
    return 0;
  }
}

double rounding_of(dtype d, double t) {
  return std::max(unit_roundoff(d) * std::fabs(t), least_step(d) / 2);
}

long double sayable(dtype d, long double t) {
  if (d == dtype::f8e4m3)
    return std::isnan(t) ? t : std::clamp(t, -448.0L, 448.0L);
  return overflows(d, std::fabs(t)) ? std::copysign(std::numeric_limits<long double>::infinity(), t) : t;
}

double float8_value(dtype d, std::uint8_t bits) {
  auto f = format_of(d);
  int size = bits & 0x7f, exponent = size >> f.fraction, fraction = size & ((1 << f.fraction) - 1);
  double value;
  if (size > f.largest)
    value = d == dtype::f8e5m2 && fraction == 0 ? std::numeric_limits<double>::infinity() : std::nan("");
  else if (exponent == 0)
    value = std::ldexp(fraction, f.least - f.fraction);
  else
    value = std::ldexp((1 << f.fraction) + fraction, f.least - f.fraction + exponent - 1);
  return bits & 0x80 ? -value : value;
}

std::uint8_t float8_bits(dtype d, double value) {
  auto f = format_of(d);
  auto sign = static_cast<std::uint8_t>(std::signbit(value) ? 0x80 : 0);
  if (std::isnan(value))
    return sign | f.nan;
  double size = std::fabs(value);
  if (d == dtype::f8e4m3 ? size >= 448 : overflows(d, size))
    return sign | (d == dtype::f8e4m3 ? f.largest : 0x7c);
  int exponent = std::max(size > 0 ? std::ilogb(size) : f.least, f.least);
  // In steps of this exponent; what rounds up to the next one carries into it.
  auto steps = static_cast<int>(std::nearbyint(std::ldexp(size, f.fraction - exponent)));
  return sign | static_cast<std::uint8_t>(steps + ((exponent - f.least) << f.fraction));
}

} // namespace ke
