#include "config/problem_file.hpp"
#include "runtime/core/measure_plan.hpp"
#include "runtime/core/verdict_state.hpp"
#include "tests/backends/evaluation.hpp"

#include <catch2/catch.hpp>

#include <fstream>
#include <iterator>

using namespace ke;

TEST_CASE("honest kernels pass: other orders, partial sums, vectors, threads, rearranged formulas",
          "[costly]") {
  auto root = std::filesystem::path{ke::test::source_dir()};
  ke_test::checker c;
  int count = 0;
  for (const auto& entry : std::filesystem::directory_iterator{root / "config/problems"}) {
    auto name = entry.path().filename().string();
    auto load = load_problem(entry.path().string());
    REQUIRE(load.errors.empty());
    std::ifstream in{root / "tests/fixtures/honest" / (name + ".cpp")};
    std::string source{std::istreambuf_iterator<char>{in}, {}};
    REQUIRE_FALSE(source.empty());
    auto v = c.judge(load.problem, source);
    INFO(name << ": " << verdict_json(v));
    CHECK(v.state == verdict_state::correct);
    CHECK(v.worst_scaled_error < 1);
    CHECK(v.flags.empty());
    ++count;
  }
  CHECK(count == 12);
}

TEST_CASE("one element at a saturated end is held to the error of many: an honest gelu passes every time",
          "[costly]") {
  auto root = std::filesystem::path{ke::test::source_dir()};
  auto load = load_problem((root / "config/problems/gelu").string());
  REQUIRE(load.errors.empty());
  std::ifstream in{root / "tests/fixtures/honest/gelu.cpp"};
  std::string source{std::istreambuf_iterator<char>{in}, {}};
  ke_test::checker c;
  for (int run = 0; run < 4; ++run) { // secret shapes differ from run to run
    auto v = c.judge(load.problem, source, measure_plan::rank);
    INFO(verdict_json(v));
    CHECK(v.state == verdict_state::correct);
  }
}
