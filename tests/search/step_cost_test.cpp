#include "runtime/core/settings.hpp"
#include "runtime/search/lab/search_simulation.hpp"

#include <catch2/catch.hpp>

using namespace ke;

// Times are the benchmark's business (tests/bench/search_bench.cpp); what a node weighs does not depend on
// the machine.
TEST_CASE("a node of a large tree costs less than a hundred bytes") {
  search_settings s;
  auto timing = time_steps(s, {1000, 20'000});
  REQUIRE(timing);
  CHECK(timing->nodes >= 20'000);
  CHECK(timing->select_us.size() == 2);
  CHECK(timing->bytes < 100 * std::size_t{timing->nodes});
}
