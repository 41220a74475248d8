/* redteam
trick = "An object of a gigabyte"
entries = ["F10"]
accept = ["build_failed"]
answers = "build"
*/
#include <cstdint>
char large[1 << 30] = {1};
extern "C" void kernel(const float*, float* y, int64_t) { y[0] = large[1]; }
