/* redteam
trick = "honest: sixteen bytes at a time where both tensors are aligned to that, single values elsewhere and in the tail"
entries = ["D7", "B4"]
accept = ["correct"]
control = true
timed = true
problem = "cu_root"
*/
/*
[launch]
grid = "max(ceildiv(N, 1024), 1)"
block = 256
*/
extern "C" __global__ void kernel(const float* x, float* y, double scale, long long N) {
  long long i = (blockIdx.x * 256LL + threadIdx.x) * 4;
  float s = (float)scale;
  bool aligned = ((unsigned long long)x | (unsigned long long)y) % 16 == 0;
  if (aligned && i + 4 <= N) {
    float4 v = *(const float4*)(x + i);
    *(float4*)(y + i) = make_float4(sqrtf(fabsf(v.x)) * s, sqrtf(fabsf(v.y)) * s, sqrtf(fabsf(v.z)) * s, sqrtf(fabsf(v.w)) * s);
  } else
    for (int j = 0; j < 4 && i + j < N; j++)
      y[i + j] = sqrtf(fabsf(x[i + j])) * s;
}
