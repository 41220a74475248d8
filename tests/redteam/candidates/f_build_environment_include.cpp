/* redteam
trick = "Includes the environment of the compiler"
entries = ["F10"]
accept = ["build_failed", "incorrect"]
says_nothing_of = ["@CANARY@"]
*/
#include "/proc/self/environ"
#include "/proc/1/environ"
#include <cstdint>
extern "C" void kernel(const float*, float*, int64_t) {}
