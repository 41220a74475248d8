#include "backends/judge/warm_fork.hpp"

#include <catch2/catch.hpp>

#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

using namespace ke;

namespace {

/// The judge's end of a socket to a warm parent, and the parent's, at which nobody is.
struct lonely_parent {
  unique_fd ours, theirs, file{::open("/dev/null", O_RDWR | O_CLOEXEC)};

  lonely_parent() {
    int ends[2];
    REQUIRE(::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) == 0);
    ours.reset(ends[0]);
    theirs.reset(ends[1]);
  }
  std::string asked() const {
    fork_request what;
    what.parent = ours.get();
    what.memory = what.go = what.done = file.get();
    what.wait_s = 0.1;
    auto made = warm_fork::ask(what);
    return made ? "" : made.error().text;
  }
};

} // namespace

TEST_CASE("Bug: a warm parent that takes no more requests held up the judge for ever") {
  lonely_parent parent;
  char packet[48] = {};
  while (::send(parent.ours.get(), packet, sizeof packet, MSG_DONTWAIT) > 0) {
  }
  CHECK(parent.asked() == "the warm Python process takes no request");
}

TEST_CASE("a warm parent that does not answer or is gone is told as that in time") {
  lonely_parent parent;
  CHECK(parent.asked() == "the warm Python process did not answer");
  parent.theirs.reset();
  CHECK(parent.asked().starts_with("the warm Python process has ended: "));
  auto ready = warm_fork::ready(parent.ours.get(), 0.1);
  REQUIRE_FALSE(ready);
  CHECK(ready.error().text.starts_with("the warm Python process has ended: "));
}

TEST_CASE("a warm parent that has not imported everything yet is waited for, and no longer than asked") {
  lonely_parent parent;
  auto late = warm_fork::ready(parent.ours.get(), 0.1);
  REQUIRE_FALSE(late);
  CHECK(late.error().text == "the warm Python process did not answer");
}
