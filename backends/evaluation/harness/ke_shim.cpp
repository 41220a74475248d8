// Generated from the problem: the harness side of the C ABI.
#include <stdint.h>

extern "C" void kernel(/*{{parameters}}*/);
extern "C" __attribute__((visibility("default"))) void ke_call(void* const* args) {
  kernel(/*{{arguments}}*/);
}
