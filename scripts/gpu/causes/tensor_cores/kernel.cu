// compute: tensor_cores
/*
[launch]
grid = "ceildiv(T, 4)"
block = 128
*/
__device__ unsigned pair(__half low, __half high) {
  return __half_as_ushort(low) | static_cast<unsigned>(__half_as_ushort(high)) << 16;
}
__device__ void product(float (&sum)[4], const unsigned (&a)[4], const unsigned (&b)[2]) {
  asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};"
               : "+f"(sum[0]), "+f"(sum[1]), "+f"(sum[2]), "+f"(sum[3])
               : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
}
extern "C" __global__ void kernel(const __half* a, const __half* b, float* y, int64_t T) {
  int64_t t = blockIdx.x * 4ll + threadIdx.x / 32;
  if (t >= T)
    return;
  a += t * 256, b += t * 256, y += t * 256;
  int row = threadIdx.x % 32 / 4, column = threadIdx.x % 4 * 2;
  unsigned left[4], right[2][2];
  for (int k = 0; k < 4; ++k) {
    const __half* at = a + (row + 8 * (k % 2)) * 16 + column + 8 * (k / 2);
    left[k] = pair(at[0], at[1]);
  }
  for (int half = 0; half < 2; ++half)
    for (int k = 0; k < 2; ++k) {
      const __half* at = b + (column + 8 * k) * 16 + row + 8 * half;
      right[half][k] = pair(at[0], at[16]);
    }
  float sum[2][2][4] = {};
#pragma unroll 4
  for (int turn = 0; turn < 256; ++turn)
    for (int half = 0; half < 2; ++half)
      for (int k = 0; k < 2; ++k)
        product(sum[half][k], left, right[half]);
  for (int half = 0; half < 2; ++half)
    for (int k = 0; k < 4; ++k)
      y[(row + 8 * (k / 2)) * 16 + column + 8 * half + k % 2] = sum[half][0][k] + sum[half][1][k];
}
