/* redteam
trick = "A flood of the compiler's words"
entries = ["F10"]
accept = ["build_failed"]
answers = "build"
*/
#include <cstdint>
#define E1 undeclared_name_that_is_long_enough_to_fill_a_line_of_the_log;
#define E10 E1 E1 E1 E1 E1 E1 E1 E1 E1 E1
#define E100 E10 E10 E10 E10 E10 E10 E10 E10 E10 E10
#define E1000 E100 E100 E100 E100 E100 E100 E100 E100 E100 E100
#define E10000 E1000 E1000 E1000 E1000 E1000 E1000 E1000 E1000 E1000 E1000
#define E100000 E10000 E10000 E10000 E10000 E10000 E10000 E10000 E10000 E10000 E10000

extern "C" void kernel(const float*, float*, int64_t) { E10000 }
