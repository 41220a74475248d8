#include "backends/judge/result_history.hpp"

#include <catch2/catch.hpp>

#include <unistd.h>

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
