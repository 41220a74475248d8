/* redteam
trick = "a barrier over more blocks than the device holds at once"
entries = ["F7"]
accept = ["timeout", "incorrect"]
alone = true
*/
/*
[launch]
grid = "max(M, 1) * 64"
block = 1024
*/
__device__ unsigned int arrived;
extern "C" __global__ void kernel(const float* x, float* y, long long M, long long N) {
  if (threadIdx.x == 0) {
    unsigned int mine = atomicAdd(&arrived, 1u);
    while (*(volatile unsigned int*)&arrived < (mine / gridDim.x + 1) * gridDim.x)
      ;
  }
  __syncthreads();
}
