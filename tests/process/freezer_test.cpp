#include "runtime/process/freezer.hpp"

#include "runtime/process/proc.hpp"
#include "runtime/process/sandbox.hpp"
#include "runtime/process/spawn.hpp"
#include "tests/process/ended.hpp"

#include <catch2/catch.hpp>

#include <poll.h>
#include <signal.h>
#include <sys/mman.h>

#include <atomic>
#include <chrono>

using namespace ke;
using namespace std::chrono_literals;

namespace {

/// A page that a child writes to: eight counters.
class page {
public:
  page() : fd_{::memfd_create("page", MFD_CLOEXEC)} {
    if (!fd_ || ::ftruncate(fd_.get(), 4096) != 0)
      throw std::runtime_error{"no memory file"};
    at_ = static_cast<std::atomic<std::uint64_t>*>(
        ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, fd_.get(), 0));
  }
  ~page() { ::munmap(at_, 4096); }
  int descriptor() const { return fd_.get(); }
  std::vector<std::uint64_t> values() const { return {at_, at_ + 8}; }

private:
  unique_fd fd_;
  std::atomic<std::uint64_t>* at_;
};

void wait_for_line(const child& c) {
  pollfd p{c.out.get(), POLLIN, 0};
  REQUIRE(::poll(&p, 1, 30'000) == 1);
}

/// Four processes with two threads each, one of them in a session of its own, all counting in the page.
process_spec counters(const page& p) {
  auto spec =
      command({"/usr/bin/python3", "-I", "-S", "-c",
               "import mmap, os, struct, threading\n"
               "m = mmap.mmap(3, 4096)\n"
               "def count(i):\n"
               "  n = 0\n"
               "  while True:\n"
               "    n += 1\n"
               "    struct.pack_into('Q', m, 8 * i, n)\n"
               "me = 0\n"
               "for i in (1, 2, 3):\n"
               "  if os.fork() == 0:\n"
               "    me = i\n"
               "    if i == 2: os.setsid()\n"
               "    break\n"
               "threading.Thread(target=count, args=(2 * me,)).start()\n"
               "while me == 0 and any(struct.unpack_from('Q', m, 16 * i)[0] == 0 for i in range(4)): pass\n"
               "if me == 0: print('counting', flush=True)\n"
               "count(2 * me + 1)\n"});
  spec.pass_fds = {{p.descriptor(), 3}};
  return spec;
}

} // namespace

TEST_CASE("a stopped group does not run and a resumed one does") {
  page p;
  running c{counters(p)};
  wait_for_line(*c);
  freezer group{c->pid};
  for (int round = 0; round < 20; ++round) {
    REQUIRE(group.stop());
    auto at_stop = p.values();
    auto cpu = group.cpu_seconds();
    CHECK(group.members().size() == 4);
    CHECK(group.held());
    CHECK(p.values() == at_stop);
    group.resume();
    while (p.values() == at_stop) {
    }
    CHECK(group.cpu_seconds() >= cpu);
  }
}

TEST_CASE("the whole of a sandbox is stopped, its launcher apart") {
  if (sandbox_label(sandbox_level::full) != "full")
    return;
  page p;
  sandbox_spec box;
  auto wrapped = sandboxed(counters(p), box);
  REQUIRE(wrapped);
  running c{*wrapped};
  wait_for_line(*c);
  freezer group{c->pid, true};
  REQUIRE(group.stop());
  auto at_stop = p.values();
  CHECK(group.members().size() == 5); // the namespace's init and the four
  // Asleep, or awake for a moment because a child has stopped.
  CHECK(proc::state_in(*proc::read("/proc/" + std::to_string(c->pid) + "/stat")) != 'T');
  CHECK(group.held());
  CHECK(p.values() == at_stop);
  group.resume();
  while (p.values() == at_stop) {
  }
}

TEST_CASE("one that is woken from outside is noticed even if it is stopped again") {
  page p;
  running c{counters(p)};
  wait_for_line(*c);
  freezer group{c->pid};
  REQUIRE(group.stop());
  REQUIRE(group.held());
  auto before = p.values();
  ::kill(c->pid, SIGCONT);
  while (p.values() == before) {
  }
  ::kill(c->pid, SIGSTOP);
  while (proc::state_in(*proc::read("/proc/" + std::to_string(c->pid) + "/stat")) != 'T') {
  }
  CHECK_FALSE(group.held());
}

TEST_CASE("a group that forks all the time is stopped whole or reported", "[costly]") {
  running c{command({"/usr/bin/python3", "-I", "-S", "-c",
                     "import os\n"
                     "print('forking', flush=True)\n"
                     "for i in range(3000):\n"
                     "  if os.fork() == 0: os._exit(0)\n"
                     "  os.wait()\n"
                     "while True: pass\n"})};
  wait_for_line(*c);
  freezer group{c->pid};
  for (int round = 0; round < 30; ++round) {
    if (!group.stop())
      continue;
    for (auto pid : group.members())
      for (auto child : proc::children_of(pid)) {
        auto all = group.members();
        CHECK(std::count(all.begin(), all.end(), child) == 1);
      }
    CHECK(group.held());
    group.resume();
  }
}

TEST_CASE("a group whose members have ended is stopped at once") {
  running c{shell("exit 0")};
  pollfd p{c->pidfd.get(), POLLIN, 0};
  REQUIRE(::poll(&p, 1, 30'000) == 1);
  freezer group{c->pid};
  CHECK(group.stop());
  group.resume();
}
