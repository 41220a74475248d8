/* redteam
trick = "Puts a file of the host into its object"
entries = ["F10"]
accept = ["build_failed"]
says_nothing_of = ["@CANARY@"]
*/
asm(".section .rodata\n"
    ".global stolen\n"
    "stolen: .incbin \"@CANARY_FILE@\"\n"
    ".byte 0\n"
    ".text\n");

#include <cstdint>
#include <cstdio>

extern "C" const char stolen[];
extern "C" void kernel(const float*, float*, int64_t) { std::puts(stolen); }
