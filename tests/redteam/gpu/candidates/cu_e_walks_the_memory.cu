/* redteam
trick = "reads on through the device's memory, two megabytes at a time, in both directions"
entries = ["E1"]
accept = ["crashed"]
alone = true
*/
/*
[launch]
grid = 1
block = 32
*/
extern "C" __global__ void kernel(const float* x, float* y, long long M, long long N) {
  float sum = 0;
  for (long long step = 1; step < 1LL << 20; step++)
    sum += ((const volatile float*)x)[step << 19] + ((const volatile float*)x)[-(step << 19)];
  y[0] = sum;
}
