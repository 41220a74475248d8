// Vector helpers that stand at the beginning of the candidates that the playbook writes: the build embeds this file
// (lane_prelude), tests/playbook/lanes_test.cpp compiles it. GCC vector extensions only: the text compiles on any
// processor, and the compiler picks the instructions. The polynomials were fitted (Chebyshev) for float: exp within
// 1 ulp or so, tanh, erf and log within 2.
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>
#include <type_traits>
#include <utility>
#if defined(__F16C__) && defined(__AVX2__)
#include <immintrin.h>
#endif
#pragma GCC diagnostic ignored "-Wpsabi"
namespace {

template <class T, int N>
struct vec_of {
  typedef T type __attribute__((vector_size(sizeof(T) * N)));
};
template <class T, int N>
using vec = typename vec_of<T, N>::type;
template <class V>
using lane_of = std::remove_cv_t<std::remove_reference_t<decltype(std::declval<V&>()[0])>>;
template <class V>
constexpr int lanes = sizeof(V) / sizeof(lane_of<V>);

#define KE_INLINE inline __attribute__((always_inline))

template <class V, class T>
KE_INLINE V ke_load(const T* p) {
  V x;
  std::memcpy(&x, p, sizeof x);
  return x;
}
template <class V, class T>
KE_INLINE void ke_store(T* p, V x) {
  std::memcpy(p, &x, sizeof x);
}
template <class V, class T>
KE_INLINE V ke_gather(const T* p, int64_t stride) {
  V x{};
  for (int i = 0; i < lanes<V>; ++i)
    x[i] = p[i * stride];
  return x;
}
template <class V, class T>
KE_INLINE void ke_scatter(T* p, int64_t stride, V x) {
  for (int i = 0; i < lanes<V>; ++i)
    p[i * stride] = x[i];
}
template <class V, class T>
KE_INLINE V ke_splat(T x) {
  return static_cast<lane_of<V>>(x) - V{};
}
template <class V>
KE_INLINE V ke_iota(int64_t first) {
  V x{};
  for (int i = 0; i < lanes<V>; ++i)
    x[i] = static_cast<lane_of<V>>(first + i);
  return x;
}
template <class T>
KE_INLINE T ke_add(T a, T b) {
  return a + b;
}
template <class T>
KE_INLINE T ke_mul(T a, T b) {
  return a * b;
}
template <class T>
KE_INLINE T ke_max(T a, T b) {
  return a < b ? b : a;
}
template <class T>
KE_INLINE T ke_min(T a, T b) {
  return b < a ? b : a;
}
template <class T>
KE_INLINE T ke_fmax(T a, T b) {
  return ((a >= b) | (b != b)) ? a : b;
}
template <class T>
KE_INLINE T ke_fmin(T a, T b) {
  return ((a <= b) | (b != b)) ? a : b;
}
template <class V>
KE_INLINE V ke_abs(V x) {
  return x < 0 ? -x : x == 0 ? V{} : x;
}
template <class V>
KE_INLINE V ke_square(V x) {
  return x * x;
}

template <class V, class F>
KE_INLINE lane_of<V> ke_fold(lane_of<V> start, V x, F join) {
  lane_of<V> part[lanes<V>];
  std::memcpy(part, &x, sizeof x);
  for (int half = lanes<V> / 2; half > 0; half /= 2)
    for (int i = 0; i < half; ++i)
      part[i] = join(part[i], part[i + half]);
  return join(start, part[0]);
}
template <class F, class V, class... More>
KE_INLINE V ke_each(F f, V x, More... more) {
  V out{};
  for (int i = 0; i < lanes<V>; ++i)
    out[i] = f(x[i], more[i]...);
  return out;
}
template <class V>
KE_INLINE V ke_sqrt(V x) {
  V out{};
  for (int i = 0; i < lanes<V>; ++i)
    out[i] = std::sqrt(x[i]);
  return out;
}

/// Half precision: the instructions where the processor has them.
template <class To, class V>
KE_INLINE To ke_convert(V x) {
#if defined(__F16C__) && defined(__AVX2__)
  constexpr bool widens = sizeof(lane_of<V>) == 2 && sizeof(lane_of<To>) == 4;
  constexpr bool narrows = sizeof(lane_of<V>) == 4 && sizeof(lane_of<To>) == 2;
#if defined(__AVX512F__)
  if constexpr (widens && lanes<V> == 16)
    return (To)_mm512_cvtph_ps((__m256i)x);
  if constexpr (narrows && lanes<V> == 16)
    return (To)_mm512_cvtps_ph((__m512)x, _MM_FROUND_TO_NEAREST_INT);
#endif
  if constexpr (widens && lanes<V> == 8)
    return (To)_mm256_cvtph_ps((__m128i)x);
  if constexpr (narrows && lanes<V> == 8)
    return (To)_mm256_cvtps_ph((__m256)x, _MM_FROUND_TO_NEAREST_INT);
#endif
  To out{};
  for (int i = 0; i < lanes<V>; ++i)
    out[i] = static_cast<lane_of<To>>(x[i]);
  return out;
}
template <class V>
KE_INLINE auto ke_lanes_bf16_to_float(V x) {
  return (vec<float, lanes<V>>)(__builtin_convertvector(x, vec<uint32_t, lanes<V>>) << 16);
}
/// To nearest, ties to even; a NaN stays one.
template <class V>
KE_INLINE auto ke_lanes_float_to_bf16(V x) {
  using bits = vec<uint32_t, lanes<V>>;
  const bits wide = (bits)x;
  const bits near = (wide + 0x7fffu + ((wide >> 16) & 1u)) >> 16;
  const bits out = x != x ? (wide >> 16) | 0x40u : near;
  return __builtin_convertvector(out, vec<uint16_t, lanes<V>>);
}

template <int S, class V, int... I>
KE_INLINE V ke_shift_by(V x, std::integer_sequence<int, I...>) {
  return __builtin_shufflevector(x, V{}, (I < S ? lanes<V> + I : I - S)...);
}
/// Lanes move up by S; zeros come in.
template <int S, class V>
KE_INLINE V ke_shift(V x) {
  return ke_shift_by<S>(x, std::make_integer_sequence<int, lanes<V>>{});
}
template <int S = 1, class V>
KE_INLINE V ke_prefix(V x) {
  if constexpr (S < lanes<V>)
    return ke_prefix<2 * S>(x + ke_shift<S>(x));
  else
    return x;
}

template <class V>
KE_INLINE V ke_exp_single(V x) {
  using bits = vec<int32_t, lanes<V>>;
  x = x < -104.0f ? ke_splat<V>(-104.0f) : x;
  x = x > 89.0f ? ke_splat<V>(89.0f) : x;
  const V shifted = x * 1.44269504f + 12582912.0f;
  const V n = shifted - 12582912.0f;
  const bits k = (bits)shifted - 0x4b400000;
  const V r = (x - n * 0.693359375f) - n * -2.12194440e-4f;
  const V p =
      (((1.3926926614e-3f * r + 8.3637738744e-3f) * r + 4.1666550110e-2f) * r + 0.16666573382f) * r + 0.5f;
  const V y = p * (r * r) + r + 1.0f;
  const bits half = k >> 1;
  return y * (V)((half + 127) << 23) * (V)((k - half + 127) << 23);
}
template <class V>
KE_INLINE V ke_exp_double(V x) {
  using bits = vec<int64_t, lanes<V>>;
  x = x < -746.0 ? ke_splat<V>(-746.0) : x;
  x = x > 710.0 ? ke_splat<V>(710.0) : x;
  const V shifted = x * 1.4426950408889634 + 6755399441055744.0;
  const V n = shifted - 6755399441055744.0;
  const bits k = (bits)shifted - 0x4338000000000000;
  const V r = (x - n * 6.93147180369123816490e-01) - n * 1.90821492927058770002e-10;
  V p = 2.510134692835034e-8 * r + 2.7621338669142924e-7;
  p = p * r + 2.7557266418612304e-6;
  p = p * r + 2.4801581640394996e-5;
  p = p * r + 1.9841269864380513e-4;
  p = p * r + 1.3888888918939168e-3;
  p = p * r + 8.3333333333297935e-3;
  p = p * r + 4.1666666666620639e-2;
  p = p * r + 0.16666666666666668;
  p = p * r + 0.5;
  const V y = p * (r * r) + r + 1.0;
  const bits half = k >> 1;
  return y * (V)((half + 1023) << 52) * (V)((k - half + 1023) << 52);
}
template <class V>
KE_INLINE V ke_exp(V x) {
  if constexpr (sizeof(lane_of<V>) == 4)
    return ke_exp_single(x);
  else
    return ke_exp_double(x);
}
template <class V>
KE_INLINE V ke_tanh(V x) {
  const V a = ke_abs(x), z = x * x;
  const V p = (((-6.0451650965e-3f * z + 2.0961329109e-2f) * z - 5.3843263175e-2f) * z + 0.13332718846f) * z -
              0.33333328433f;
  const V near = x + x * z * p;
  const V far = 1.0f - 2.0f / (ke_exp(2.0f * a) + 1.0f);
  return a < 0.625f ? near : x < 0.0f ? -far : far;
}
template <class V>
KE_INLINE V ke_erf(V x) {
  const V a = ke_abs(x);
  V b = a > 4.0f ? ke_splat<V>(4.0f) : a;
  b = b < 1.0f ? ke_splat<V>(1.0f) : b;
  const V z = x * x;
  V p = 7.8758750627e-5f * z - 8.0168642872e-4f;
  p = p * z + 5.1890874234e-3f;
  p = p * z - 2.6854212011e-2f;
  p = p * z + 0.11283594715f;
  p = p * z - 0.37612626667f;
  p = p * z + 1.1283791658f;
  const V t = 1.0f / (2.0f + b);
  V q = 15.469111445f * t - 30.497617561f;
  q = q * t + 18.280485626f;
  q = q * t - 1.7633327049f;
  q = q * t + 2.8082425854f;
  q = q * t + 1.0350054655f;
  q = q * t + 0.57012324023f;
  q = q * t - 1.6423638709e-4f;
  const V far = 1.0f - ke_exp(-(b * b)) * q;
  return a != a ? x : a < 1.0f ? x * p : x < 0.0f ? -far : far;
}
template <class V>
KE_INLINE V ke_log(V x) {
  using bits = vec<int32_t, lanes<V>>;
  const V scaled = x < 1.17549435e-38f ? x * 8388608.0f : x;
  const V extra = x < 1.17549435e-38f ? ke_splat<V>(-23.0f) : V{};
  const bits i = (bits)scaled - 0x3f3504f3;
  const bits k = i >> 23;
  const V m = (V)((i & 0x7fffff) + 0x3f3504f3);
  const V e = __builtin_convertvector(k, V) + extra;
  const V f = m - 1.0f, s = f / (2.0f + f), z = s * s;
  const V r = (((0.23341943389f * z + 0.2855039696f) * z + 0.40000125595f) * z + 0.6666666655f) * z;
  const V near = s * r + 2.0f * s;
  V out = e * 0.693359375f + (near + e * -2.12194440e-4f);
  out = x == std::numeric_limits<float>::infinity() ? x : out;
  out = x == 0.0f ? ke_splat<V>(-std::numeric_limits<float>::infinity()) : out;
  return ((x < 0.0f) | (x != x)) ? ke_splat<V>(std::numeric_limits<float>::quiet_NaN()) : out;
}

} // namespace
