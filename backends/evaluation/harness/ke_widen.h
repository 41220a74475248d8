// The reference in wider arithmetic: included before it, as the truth is compiled. Headers first, so that they keep
// their own types: those of the reference stand before this text, and what depends on the problem is defined there,
// too (widening_header in harness.cpp):
// KE_WIDE_F64 where a tensor is in f64, so that doubles are long doubles; KE_WIDE_BF16, KE_WIDE_F8E4M3 and KE_WIDE_F8E5M2
// (one of the two at most) for references that know such numbers by the helpers of ke.h.
#include <cmath>

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ke.h"

using ke_wide_f64 = long double;
using ke_wide_f32 = double;

#ifdef KE_WIDE_BF16
// Bits that are read or made by hand are those of a rounded one.
struct ke_wide_bf16 {
  double value;
  ke_wide_bf16() = default;
  ke_wide_bf16(uint32_t bits) : value{ke_bf16_to_float(static_cast<uint16_t>(bits))} {}
  operator uint32_t() const { return ke_float_to_bf16(static_cast<float>(value)); }
};
namespace std {
using ::ke_wide_bf16;
}
static inline double ke_of_wide_bf16(ke_wide_bf16 x) {
  return x.value;
}
static inline ke_wide_bf16 ke_as_wide_bf16(double value) {
  ke_wide_bf16 x;
  x.value = value;
  return x;
}
#endif

#if defined KE_WIDE_F8E4M3 || defined KE_WIDE_F8E5M2
// Read, it is what it rounds to: to quantise is what an operator means to do. A tensor keeps the double, so that a
// result can be held against what was rounded.
struct ke_wide_f8 {
  double value;
  ke_wide_f8() = default;
#ifdef KE_WIDE_F8E4M3
  ke_wide_f8(uint32_t bits) : value{ke_f8e4m3_to_float(static_cast<uint8_t>(bits))} {}
  operator uint32_t() const { return ke_float_to_f8e4m3(static_cast<float>(value)); }
#else
  ke_wide_f8(uint32_t bits) : value{ke_f8e5m2_to_float(static_cast<uint8_t>(bits))} {}
  operator uint32_t() const { return ke_float_to_f8e5m2(static_cast<float>(value)); }
#endif
};
namespace std {
using ::ke_wide_f8;
}
static inline double ke_of_wide_f8(ke_wide_f8 x) {
  return ke_wide_f8(static_cast<uint32_t>(x)).value;
}
static inline ke_wide_f8 ke_as_wide_f8(double value) {
  ke_wide_f8 x;
  x.value = value;
  return x;
}
#endif

#ifdef KE_WIDE_F64
using ke_widest = long double;
#define KE_WIDEST(function) std::function // the overloads of long double
#else
using ke_widest = double;
#define KE_WIDEST(function) function
#endif

// A literal keeps its type (0.0f is a float), which would break the deduction of std::max(x, 0.0f).
namespace std {
inline ke_widest max(ke_widest a, ke_widest b) {
  return a < b ? b : a;
}
inline ke_widest min(ke_widest a, ke_widest b) {
  return b < a ? b : a;
}
inline ke_widest clamp(ke_widest x, ke_widest a, ke_widest b) {
  return x < a ? a : b < x ? b : x;
}
} // namespace std

#define sqrtf KE_WIDEST(sqrt)
#define expf KE_WIDEST(exp)
#define exp2f KE_WIDEST(exp2)
#define expm1f KE_WIDEST(expm1)
#define logf KE_WIDEST(log)
#define log2f KE_WIDEST(log2)
#define log10f KE_WIDEST(log10)
#define log1pf KE_WIDEST(log1p)
#define sinf KE_WIDEST(sin)
#define cosf KE_WIDEST(cos)
#define tanf KE_WIDEST(tan)
#define asinf KE_WIDEST(asin)
#define acosf KE_WIDEST(acos)
#define atanf KE_WIDEST(atan)
#define sinhf KE_WIDEST(sinh)
#define coshf KE_WIDEST(cosh)
#define tanhf KE_WIDEST(tanh)
#define asinhf KE_WIDEST(asinh)
#define acoshf KE_WIDEST(acosh)
#define atanhf KE_WIDEST(atanh)
#define erff KE_WIDEST(erf)
#define erfcf KE_WIDEST(erfc)
#define fabsf KE_WIDEST(fabs)
#define floorf KE_WIDEST(floor)
#define ceilf KE_WIDEST(ceil)
#define roundf KE_WIDEST(round)
#define truncf KE_WIDEST(trunc)
#define rintf KE_WIDEST(rint)
#define nearbyintf KE_WIDEST(nearbyint)
#define cbrtf KE_WIDEST(cbrt)
#define tgammaf KE_WIDEST(tgamma)
#define lgammaf KE_WIDEST(lgamma)
#define powf KE_WIDEST(pow)
#define fmodf KE_WIDEST(fmod)
#define fmaxf KE_WIDEST(fmax)
#define fminf KE_WIDEST(fmin)
#define fmaf KE_WIDEST(fma)
#define atan2f KE_WIDEST(atan2)
#define hypotf KE_WIDEST(hypot)
#define copysignf KE_WIDEST(copysign)
#define remainderf KE_WIDEST(remainder)
#define ldexpf KE_WIDEST(ldexp)

#ifdef KE_WIDE_F64
#define double ke_wide_f64
#define float ke_wide_f32
#define _Float16 ke_wide_f32
#else
#define float double
#define _Float16 double
#endif
#ifdef KE_WIDE_BF16
#define ke_bf16_to_float ke_of_wide_bf16
#define ke_float_to_bf16 ke_as_wide_bf16
#define uint16_t ke_wide_bf16
#endif
#ifdef KE_WIDE_F8E4M3
#define ke_f8e4m3_to_float ke_of_wide_f8
#define ke_float_to_f8e4m3 ke_as_wide_f8
#define uint8_t ke_wide_f8
#endif
#ifdef KE_WIDE_F8E5M2
#define ke_f8e5m2_to_float ke_of_wide_f8
#define ke_float_to_f8e5m2 ke_as_wide_f8
#define uint8_t ke_wide_f8
#endif
