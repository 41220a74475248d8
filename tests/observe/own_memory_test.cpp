#include "runtime/observe/own_memory.hpp"

#include <catch2/catch.hpp>

#include <sys/mman.h>

#include <cstring>

using namespace ke;

TEST_CASE("the peak of anonymous memory stays when the memory is gone, and files don't count") {
  constexpr std::size_t size = 64u << 20;
  auto before = anonymous_bytes();
  REQUIRE(before > 0);
  anonymous_peak peak;
  auto* memory = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  REQUIRE(memory != MAP_FAILED);
  std::memset(memory, 1, size);
  CHECK(peak.bytes() >= before + size * 9 / 10);
  munmap(memory, size);
  CHECK(anonymous_bytes() < before + size / 2);
  CHECK(peak.bytes() >= before + size * 9 / 10);
}

TEST_CASE("fields of a process's status are bytes or counts, and unknown ones are none") {
  CHECK(own_status("Threads") >= 1);
  CHECK(own_status("VmHWM") >= 4096);
  CHECK(own_status("Thread") == 0);
  CHECK(own_status("nothing") == 0);
}
