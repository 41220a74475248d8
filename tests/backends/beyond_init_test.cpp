#include "config/problem_file.hpp"
#include "runtime/core/verdict_state.hpp"
#include "tests/backends/evaluation.hpp"

#include <catch2/catch.hpp>

#include <fstream>
#include <iterator>

using namespace ke;

namespace {

const std::filesystem::path redteam = std::filesystem::path{ke::test::source_dir()} / "tests/redteam";

std::string redteam_candidate(const std::string& name) {
  std::ifstream in{redteam / "candidates" / (name + ".cpp")};
  std::string source{std::istreambuf_iterator<char>{in}, {}};
  REQUIRE_FALSE(source.empty());
  return source;
}

} // namespace

TEST_CASE("a kernel that is right for what init draws alone is wrong: accumulators, signs, indices, scalars, "
          "integers of all magnitudes") {
  ke_test::checker c;
  for (auto [problem, wrong, right] :
       {std::tuple{
            "gather",
            std::vector{"d_overwrites", "d_constant_scale", "d_no_negative_table", "d_first_rows_only"},
            "ok_trusts_indices"},
        {"whole", std::vector{"d_narrow_integers", "d_integers_as_floats", "d_table_of_integers"},
         "ok_divides_by_product"}}) {
    auto load = load_problem((redteam / "problems" / problem).string());
    for (const auto& e : load.errors)
      UNSCOPED_INFO(to_line(e));
    REQUIRE(load.errors.empty());
    for (const auto* name : wrong) {
      auto v = c.judge(load.problem, redteam_candidate(name));
      INFO(name << ": " << verdict_json(v));
      CHECK(v.state == verdict_state::incorrect);
    }
    auto v = c.judge(load.problem, redteam_candidate(right));
    INFO(right << ": " << verdict_json(v));
    CHECK(v.state == verdict_state::correct);
  }
}

TEST_CASE("integers that index something keep to what the reference survives, and an honest kernel passes") {
  auto load = load_problem((redteam / "problems/gather").string());
  REQUIRE(load.errors.empty());
  auto& p = load.problem;
  p.tensors[1].init = "ints"; // and nothing says what it may be
  p.tensors[1].range.clear();
  ke_test::checker c;
  for (int again = 0; again < 3; ++again) {
    auto v = c.judge(p, redteam_candidate("ok_trusts_indices"));
    INFO(verdict_json(v));
    CHECK(v.state == verdict_state::correct);
  }
  auto v = c.judge(p, redteam_candidate("d_first_rows_only"));
  INFO(verdict_json(v));
  CHECK(v.state == verdict_state::incorrect);
}
