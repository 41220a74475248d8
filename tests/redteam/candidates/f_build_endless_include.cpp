/* redteam
trick = "Includes a file without end"
entries = ["F10"]
accept = ["build_failed"]
answers = "build"
*/
#include "/dev/zero"
extern "C" void kernel(const float*, float*, long) {}
