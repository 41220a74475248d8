// memory: uncoalesced
/*
[launch]
grid = "ceildiv(N, 256)"
block = 256
*/
extern "C" __global__ void kernel(const float* x, float* y, int64_t n) {
  int64_t i = blockIdx.x * 256ll + threadIdx.x;
  if (i >= n)
    return;
  uint32_t at = i;
  at = (at ^ (at >> 7)) * 0x9e3779b1u;
  at ^= at >> 15;
  y[i] = x[at % static_cast<uint32_t>(n)];
}
