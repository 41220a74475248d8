#include "backends/judge/drivers/launch_values.hpp"

#include <catch2/catch.hpp>

using namespace ke;

namespace {

std::string complaint(const declared_launch& l) {
  auto made = launch_values({l}, {{"M", 12}, {"N", 1000}});
  return made ? std::string{} : made.error().text;
}

} // namespace

TEST_CASE("a declared launch becomes numbers for the shapes of a call") {
  declared_launch first{"rows", {"M", "ceildiv(N, 256)"}, {"256"}, "4*M"},
      second{"kernel", {"1"}, {"32", "4"}, "0"};
  auto made = launch_values({first, second}, {{"M", 12}, {"N", 1000}});
  REQUIRE(made);
  CHECK(*made == std::vector<std::uint64_t>{12, 4, 1, 256, 1, 1, 48, 1, 1, 1, 32, 4, 1, 0});
}

TEST_CASE("a launch that no device takes is refused by name, place and bound") {
  CHECK(complaint({"k", {"M - 13"}, {"256"}, "0"}).find("grid = \"M - 13\" is -1 here") != std::string::npos);
  CHECK(complaint({"k", {"1"}, {"64", "32"}, "0"}).find("2048 threads in a block") != std::string::npos);
  CHECK(complaint({"k", {"1", "70000"}, {"1"}, "0"}).find("0 to 65535") != std::string::npos);
  CHECK(complaint({"k", {"N / (M - 12)"}, {"1"}, "0"}).find("launch of k: grid") != std::string::npos);
  CHECK(complaint({"k", {"Q"}, {"1"}, "0"}).find("launch of k: grid = \"Q\"") != std::string::npos);
  CHECK(complaint({"k", {"0"}, {"1"}, "0"}).empty()); // an empty shape has nothing to launch
}
