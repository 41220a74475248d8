/* redteam
trick = "includes files of the machine that compiles it, so that their text is in the error"
entries = ["F6"]
accept = ["build_failed"]
*/
/*
[launch]
grid = 1
block = 32
*/
#include "/etc/passwd"
#include "/proc/self/environ"
extern "C" __global__ void kernel(const float* x, float* y, long long M, long long N) {}
