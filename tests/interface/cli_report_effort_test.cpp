#include "interface/cli/report_effort.hpp"

#include <catch2/catch.hpp>

using namespace ke::cli;

TEST_CASE(
    "steps and tokens to the first correct, the best and the target are counted by model and together") {
  // Not in order of time, as rows are read.
  std::vector<model_answer> all{
      {40, 4, "large", 1000, 0.1, true, 3.0}, {10, 1, "small", 100, 0.01, false, 0},
      {20, 2, "large", 1000, 0.1, true, 1.5}, {30, 3, "small", 100, 0.01, true, 1.2},
      {50, 5, "small", 100, 0.01, true, 1.1}, {60, 6, "large", 1000, 0.1, false, 0}};
  auto e = efforts_of(all, 2.0);
  REQUIRE(e.size() == 3);
  const auto& large = e.at("large");
  CHECK(large.first_correct->steps == 1);
  CHECK(large.target->steps == 2);
  CHECK(large.target->tokens == 2000);
  CHECK(large.best->steps == 2);
  CHECK(large.all.steps == 3);
  const auto& small = e.at("small");
  CHECK(small.first_correct->steps == 2);
  CHECK(small.first_correct->tokens == 200);
  CHECK(small.best->steps == 2);
  CHECK_FALSE(small.target);
  const auto& together = e.at("");
  CHECK(together.first_correct->steps == 2);
  CHECK(together.target->steps == 4);
  CHECK(together.target->tokens == 2200);
  CHECK(together.target->usd == Approx(0.22));
  CHECK_FALSE(efforts_of(all, 0).at("large").target);
}

TEST_CASE("an untimed campaign's best is its first correct candidate") {
  auto e = efforts_of({{10, 1, "m", 5, 0, true, 0}, {20, 2, "m", 5, 0, true, 0}}, 0);
  CHECK(e.at("m").best->steps == 1);
}
