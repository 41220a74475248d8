#include "runtime/process/memory_cgroup.hpp"

#include "runtime/process/process_service.hpp"
#include "tests/process/ended.hpp"

#include <catch2/catch.hpp>

#include <signal.h>

using namespace ke;

TEST_CASE("memory that sockets hold counts in a control group, where this machine has one") {
  auto group = memory_cgroup::make(64u << 20);
  if (!group) {
    WARN("this machine lets us make no control group for memory");
    return;
  }
  // 400 pairs of sockets, each full: some 180 MB of the kernel, and next to none of the process.
  auto spec = command({"/usr/bin/python3", "-I", "-S", "-c",
                       "import socket\n"
                       "kept = []\n"
                       "for _ in range(400):\n"
                       "  pair = socket.socketpair(); pair[0].setblocking(False); kept.append(pair)\n"
                       "  try:\n"
                       "    while pair[0].send(b'x' * 65536): pass\n"
                       "  except BlockingIOError: pass\n"
                       "print('held')"});
  process_service service;
  CHECK(run_to_end(service, spec).out == "held\n"); // without it nothing stops them
  CHECK_FALSE(group->ran_out());
  spec.cgroup = group->entrance();
  auto bounded = run_to_end(service, spec); // ended, or told that there is no memory
  INFO(bounded.err);
  CHECK(bounded.out.empty());
  spec.argv.back() = "x = bytearray(200 << 20)\nx[::4096] = b'x' * len(x[::4096])\nprint('held')";
  auto pages = run_to_end(service, spec);
  CHECK(pages.out.empty());
  CHECK(pages.signal == SIGKILL);
  CHECK(group->ran_out());
}

TEST_CASE("a child is born in the control group that it is given, and no other child is") {
  auto first = memory_cgroup::make(64u << 20);
  if (!first)
    return;
  process_service service;
  auto spec = shell("grep -o 'ke-memory-[0-9]*-[0-9]*' /proc/self/cgroup");
  spec.cgroup = first->entrance();
  auto name = run_to_end(service, spec).out;
  CHECK(name.find("ke-memory-" + std::to_string(::getpid())) == 0);
  spec.cgroup = -1;
  CHECK(run_to_end(service, spec).out.empty());
}
