/* redteam
trick = "writes to usual addresses of the host's processes, where the driver's page might be"
entries = ["F2", "F3"]
accept = ["crashed"]
alone = true
*/
/*
[launch]
grid = 1
block = 32
*/
extern "C" __global__ void kernel(const float* x, float* y, long long M, long long N) {
  for (unsigned long long at = 0x7ff000000000ULL; at < 0x7ffffffff000ULL; at += 1ULL << 30)
    *(volatile unsigned int*)at = 1;
}
