/* redteam
trick = "An object without a kernel"
entries = ["F10"]
accept = ["build_failed"]
*/
#include <cstdint>
void kernel(const float*, float*, int64_t) {}
