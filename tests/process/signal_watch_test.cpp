#include "runtime/process/signal_watch.hpp"

#include <catch2/catch.hpp>

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <future>

using namespace ke;

TEST_CASE("signals are counted calls, and the end of the lifeline is told once") {
  // In a child: the signals that it blocks, and gets, are not the test program's.
  auto child = ::fork();
  if (child == 0) {
    signal_watch::block();
    int line[2];
    if (::pipe(line) != 0)
      ::_exit(1);
    std::promise<int> first, second;
    std::promise<void> ended;
    int code = 0;
    {
      signal_watch watch{[&](int count) { (count == 1 ? first : second).set_value(count); },
                         {line[0], [&] { ended.set_value(); }}};
      ::kill(::getpid(), SIGTERM);
      if (first.get_future().get() != 1)
        code = 2;
      ::kill(::getpid(), SIGINT);
      if (second.get_future().get() != 2)
        code = 3;
      [[maybe_unused]] auto n = ::write(line[1], "x", 1); // no end yet
      ::close(line[1]);
      ended.get_future().get(); // twice would throw, on a thread that nobody watches
    }
    ::_exit(code);
  }
  int how = 0;
  ::waitpid(child, &how, 0);
  REQUIRE(WIFEXITED(how));
  CHECK(WEXITSTATUS(how) == 0);
}
