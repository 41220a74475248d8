/* redteam
trick = "sixteen bytes at a time, wherever the tensors begin"
entries = ["D7"]
accept = ["refused"]
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
  if (i + 4 <= N) {
    float4 v = *(const float4*)(x + i);
    *(float4*)(y + i) = make_float4(sqrtf(fabsf(v.x)) * s, sqrtf(fabsf(v.y)) * s, sqrtf(fabsf(v.z)) * s, sqrtf(fabsf(v.w)) * s);
  } else
    for (; i < N; i++)
      y[i] = sqrtf(fabsf(x[i])) * s;
}
