#pragma once

#include "runtime/core/names.hpp"

#include <cstddef>
#include <cstdint>

namespace ke {

/// Element types of tensors. f8e4m3 is the OCP format without infinities (one NaN, up to 448; PyTorch's
/// float8_e4m3fn), f8e5m2 is as IEEE's are (PyTorch's float8_e5m2). Stored by number: append only.
enum class dtype : std::uint8_t { f64, f32, f16, bf16, i64, i32, i8, u8, boolean, f8e4m3, f8e5m2 };
KE_NAMES(dtype, 11, "f64", "f32", "f16", "bf16", "i64", "i32", "i8", "u8", "bool", "f8e4m3", "f8e5m2")

/// Bytes of one element in a candidate's memory.
constexpr std::size_t bytes_of(dtype d) {
  switch (d) {
  case dtype::f64:
  case dtype::i64:
    return 8;
  case dtype::f32:
  case dtype::i32:
    return 4;
  case dtype::f16:
  case dtype::bf16:
    return 2;
  case dtype::i8:
  case dtype::u8:
  case dtype::boolean:
  case dtype::f8e4m3:
  case dtype::f8e5m2:
    return 1;
  }
  return 1;
}

/// Floating numbers in eight bits.
constexpr bool is_float8(dtype d) {
  return d == dtype::f8e4m3 || d == dtype::f8e5m2;
}

/// Floating numbers that C++ has no type for: the C ABI carries their bits in an unsigned integer.
constexpr bool is_carried(dtype d) {
  return d == dtype::bf16 || is_float8(d);
}

constexpr bool is_floating(dtype d) {
  return d == dtype::f64 || d == dtype::f32 || d == dtype::f16 || is_carried(d);
}

} // namespace ke
