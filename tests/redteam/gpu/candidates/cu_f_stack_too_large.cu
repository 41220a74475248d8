/* redteam
trick = "half a megabyte of local memory a thread, over as many threads as there are"
entries = ["F5"]
accept = ["build_failed", "crashed", "resource_exceeded", "incorrect", "timeout"]
alone = true
*/
/*
[launch]
grid = 4096
block = 1024
*/
extern "C" __global__ void kernel(const float* x, float* y, long long M, long long N) {
  volatile float space[1 << 17];
  for (long long i = 0; i < (1 << 17); i += 4096)
    space[(i + threadIdx.x) & 0x1ffff] = i;
  if (blockIdx.x == 0)
    y[0] = space[(threadIdx.x * 7) & 0x1ffff];
}
