// Helpers for native kernels; included by hand or not at all. bf16 is carried as its upper 16 bits in a
// uint16_t, f8e4m3 and f8e5m2 as their bits in a uint8_t. The same bits as PyTorch's conversions on a CPU.
#pragma once

#include <stdint.h>
#include <string.h>

static inline float ke_bf16_to_float(uint16_t bits) {
  uint32_t wide = static_cast<uint32_t>(bits) << 16;
  float value;
  memcpy(&value, &wide, sizeof value);
  return value;
}

/// Rounds to nearest, ties to even; a NaN stays a (quiet) NaN.
static inline uint16_t ke_float_to_bf16(float value) {
  uint32_t wide;
  memcpy(&wide, &value, sizeof wide);
  if ((wide & 0x7fffffffu) > 0x7f800000u)
    return static_cast<uint16_t>((wide >> 16) | 0x40u);
  return static_cast<uint16_t>((wide + 0x7fffu + ((wide >> 16) & 1u)) >> 16);
}

/// Exact. 0x7f and 0xff are NaN; there is no infinity.
static inline float ke_f8e4m3_to_float(uint8_t bits) {
  uint32_t size = bits & 0x7fu, wide;
  float value = static_cast<float>(size) * 0x1p-9f; // subnormal: steps of 2^-9
  memcpy(&wide, &value, sizeof wide);
  if (size > 7)
    wide = (size << 20) + (120u << 23);
  if (size == 0x7f)
    wide = 0x7ff00000u;
  wide |= (bits & 0x80u) << 24;
  memcpy(&value, &wide, sizeof value);
  return value;
}

/// Rounds to nearest, ties to even. Saturates: what is larger than 448, infinity too, becomes 448; a NaN stays
/// one.
static inline uint8_t ke_float_to_f8e4m3(float value) {
  uint32_t wide;
  memcpy(&wide, &value, sizeof wide);
  uint32_t sign = (wide >> 24) & 0x80u, size = wide & 0x7fffffffu;
  float shifted;
  memcpy(&shifted, &size, sizeof shifted);
  shifted += 0x1p14f; // whose last place is a subnormal's
  uint32_t small;
  memcpy(&small, &shifted, sizeof small);
  small -= 0x46800000u;
  uint32_t normal = ((size + 0x7ffffu + ((size >> 20) & 1u)) >> 20) - (120u << 3);
  uint32_t out = size < 0x3c800000u   ? small
                 : size < 0x43e00000u ? normal
                 : size > 0x7f800000u ? 0x7fu
                                      : 0x7eu;
  return static_cast<uint8_t>(sign | out);
}

/// Exact. 0x7c and 0xfc are infinite, what is above them NaN.
static inline float ke_f8e5m2_to_float(uint8_t bits) {
  uint32_t size = bits & 0x7fu, wide;
  float value = static_cast<float>(size) * 0x1p-16f; // subnormal: steps of 2^-16
  memcpy(&wide, &value, sizeof wide);
  if (size > 3)
    wide = (size << 21) + (112u << 23);
  if (size >= 0x7c)
    wide = (size > 0x7c ? 0x7fc00000u : 0x7f800000u) | (size << 21);
  wide |= (bits & 0x80u) << 24;
  memcpy(&value, &wide, sizeof value);
  return value;
}

/// Rounds to nearest, ties to even; from 61440 on it gives infinity. A NaN stays one.
static inline uint8_t ke_float_to_f8e5m2(float value) {
  uint32_t wide;
  memcpy(&wide, &value, sizeof wide);
  uint32_t sign = (wide >> 24) & 0x80u, size = wide & 0x7fffffffu;
  float shifted;
  memcpy(&shifted, &size, sizeof shifted);
  shifted += 0x1p7f; // whose last place is a subnormal's
  uint32_t small;
  memcpy(&small, &shifted, sizeof small);
  small -= 0x43000000u;
  uint32_t normal = ((size + 0xfffffu + ((size >> 21) & 1u)) >> 21) - (112u << 2);
  uint32_t out = size < 0x38800000u   ? small
                 : size < 0x47700000u ? normal
                 : size > 0x7f800000u ? 0x7fu
                                      : 0x7cu;
  return static_cast<uint8_t>(sign | out);
}
