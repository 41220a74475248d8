#include "backends/judge/result_history.hpp"

#include <catch2/catch.hpp>

#include <fcntl.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstring>

using namespace ke;

TEST_CASE("a result in memory that was filled before its call is told from one in fresh memory") {
  auto size = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE));
  result_history seen;
  CHECK(seen.wants_look());
  seen.look({{100, 110}, {200, 240}});
  CHECK(!seen.wants_look());
  CHECK(seen.filled_before(200 * size, 40 * size) == 40); // one of a pool that was filled while it was loaded
  CHECK(seen.wants_look());                               // where the next ones may be is looked at again
  CHECK(seen.filled_before(200 * size, 40 * size) == 0);  // from now on its marks tell
  CHECK(seen.filled_before(300 * size, 40 * size) == 0);  // fresh
  CHECK(seen.filled_before(105 * size + 1, 10 * size) == 4); // whole pages alone, as far as they were there
  CHECK(seen.filled_before(110 * size, size - 1) == 0);
  seen.look({{100, 110}, {200, 240}, {300, 340}, {400, 410}});
  CHECK(seen.filled_before(300 * size, 40 * size) == 0);
  CHECK(seen.filled_before(395 * size, 20 * size) == 10);
}

TEST_CASE(
    "memory that a process has filled is found whatever its rights are, and what nobody has touched is not") {
  auto size = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  auto map = [&](int flags) {
    return static_cast<char*>(mmap(nullptr, 16 * size, PROT_READ | PROT_WRITE, flags | MAP_ANONYMOUS, -1, 0));
  };
  char *filled = map(MAP_PRIVATE), *hidden = map(MAP_PRIVATE), *untouched = map(MAP_PRIVATE),
       *shared = map(MAP_SHARED);
  for (auto* touched : {filled, hidden, shared})
    std::memset(touched, 1, 16 * size);
  REQUIRE(mprotect(hidden, 16 * size, PROT_READ) == 0);
  int pagemap = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
  REQUIRE(pagemap >= 0);
  result_history seen;
  seen.look(own_pages_of(getpid(), pagemap));
  auto found = [&](char* memory) {
    return seen.filled_before(reinterpret_cast<std::uint64_t>(memory), 16 * size);
  };
  CHECK(found(filled) == 16);
  CHECK(found(hidden) == 16);
  CHECK(found(untouched) == 0);
  CHECK(found(shared) == 0); // charged as not the process's own in each call (unwritten_pages)
  close(pagemap);
  for (auto* memory : {filled, hidden, untouched, shared})
    munmap(memory, 16 * size);
}

TEST_CASE("what unwritten pages cost is measured when it is asked, and grows with their number", "[timing]") {
  CHECK(copied_pages_ns(0) == 0);
  double few = copied_pages_ns(64), many = copied_pages_ns(64 * 64);
  CHECK(few > 0);
  CHECK(many > 4 * few);
  CHECK(copied_pages_ns(1u << 16) > 2 * many); // beyond what is tried, by the same rate
}
