/* redteam
trick = "An assembler that fills the disk"
entries = ["F10"]
accept = ["build_failed"]
answers = "build"
*/
#include <cstdint>
asm(".data\n.fill 6000000000, 1, 7\n.text\n");
extern "C" void kernel(const float*, float*, int64_t) {}
