#include "runtime/observe/failpoint.hpp"

#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>

using namespace ke;

namespace {

/// Exit code of a child that passes `name` so many times and then ends with 0.
int code_after(const char* armed, const char* name, int passes) {
  pid_t child = ::fork();
  if (child == 0) {
    if (!failpoint::arm(armed))
      ::_exit(1);
    for (int i = 0; i < passes; ++i)
      failpoint::pass(name);
    ::_exit(0);
  }
  int how = 0;
  ::waitpid(child, &how, 0);
  return WIFEXITED(how) ? WEXITSTATUS(how) : -1;
}

} // namespace

TEST_CASE("a failpoint ends the process at its n-th pass and at no other") {
  CHECK(code_after("a.b:3", "a.b", 2) == 0);
  CHECK(code_after("a.b:3", "a.b", 3) == failpoint::exit_code);
  CHECK(code_after("a.b:3", "other", 9) == 0);
  CHECK(code_after("x:5,a.b:1", "a.b", 1) == failpoint::exit_code);
  CHECK(code_after("", "a.b", 9) == 0);
}

TEST_CASE("a failpoint that can't be read is refused and arms nothing") {
  for (auto text : {"a", "a:", ":1", "a:0", "a:x", "a:1x", "a:1,b"}) {
    CAPTURE(text);
    CHECK_FALSE(failpoint::arm(text));
  }
  failpoint::pass("a");
  CHECK(failpoint::arm(""));
}
