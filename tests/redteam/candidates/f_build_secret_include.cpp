/* redteam
trick = "Includes a file of the host"
entries = ["F10"]
accept = ["build_failed"]
says_nothing_of = ["@CANARY@"]
*/
#include "@CANARY_FILE@"
#include <cstdint>
extern "C" void kernel(const float*, float*, int64_t) {}
