// Helpers for native kernels; included by hand or not at all. bf16 is carried as its upper 16 bits in a
// uint16_t.
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
