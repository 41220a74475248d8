// Included before each candidate of the backend cuda: integers of fixed width, the 16-bit floats of its ABI. CUDA's
// own headers where this machine has them; else what a kernel needs of them.
#pragma once

#include <stdint.h>

#if __has_include(<cuda_fp16.h>) && __has_include(<cuda_bf16.h>)
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#else
struct alignas(2) __half {
  unsigned short bits;
};
struct alignas(2) __nv_bfloat16 {
  unsigned short bits;
};
typedef __half half;

__device__ inline float __half2float(__half x) {
  float value;
  asm("cvt.f32.f16 %0, %1;" : "=f"(value) : "h"(x.bits));
  return value;
}
__device__ inline __half __float2half(float x) {
  __half value;
  asm("cvt.rn.f16.f32 %0, %1;" : "=h"(value.bits) : "f"(x));
  return value;
}
__device__ inline float __bfloat162float(__nv_bfloat16 x) {
  return __uint_as_float(static_cast<unsigned>(x.bits) << 16);
}
__device__ inline __nv_bfloat16 __float2bfloat16(float x) {
  __nv_bfloat16 value;
  asm("cvt.rn.bf16.f32 %0, %1;" : "=h"(value.bits) : "f"(x));
  return value;
}
#endif
