#include "backends/judge/thread_filters.hpp"
#include "runtime/process/proc.hpp"

#include <unistd.h>

#include <catch2/catch.hpp>

using namespace ke;

TEST_CASE("a thread without the driver's filters is seen from outside, and so is one that has ended") {
  // A constructor that never returned answered for the driver, which then never gave up making code.
  CHECK(filters_in("Name:\tx\nSeccomp:\t2\nSeccomp_filters:\t3\n") == 3);
  CHECK_FALSE(filters_in("Name:\tx\nSeccomp:\t2\n"));
  if (!filters_in(proc::read("/proc/self/status").value_or("").c_str()))
    return; // a kernel that does not tell
  CHECK(all_confined({::getpid()}, 0));
  CHECK_FALSE(all_confined({::getpid()}, 1));
  CHECK_FALSE(left_by_loading({::getpid()}).empty());
}
