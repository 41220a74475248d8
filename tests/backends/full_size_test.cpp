#include "config/problem_file.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/verdict.hpp"
#include "runtime/core/verdict_state.hpp"
#include "tests/backends/evaluation.hpp"

#include <catch2/catch.hpp>

#include <fstream>
#include <iterator>

using namespace ke;

namespace {

const std::filesystem::path redteam = std::filesystem::path{ke::test::source_dir()} / "tests/redteam";

verdict judged(ke_test::checker& c, const std::string& problem, const std::string& name) {
  auto load = load_problem((redteam / "problems" / problem).string());
  REQUIRE(load.errors.empty());
  std::ifstream in{redteam / "candidates" / (name + ".cpp")};
  std::string source{std::istreambuf_iterator<char>{in}, {}};
  REQUIRE_FALSE(source.empty());
  return c.judge(load.problem, source);
}

} // namespace

TEST_CASE("a kernel that is wrong at the size of the large workload alone is wrong: tails, alignment, NaN",
          "[costly]") {
  ke_test::checker c;
  for (auto [problem, name, state] : {std::tuple{"turned", "d_large_without_tail", verdict_state::incorrect},
                                      {"large_softmax", "d_large_needs_alignment", verdict_state::incorrect},
                                      {"large_softmax", "d_large_loses_nan", verdict_state::incorrect},
                                      {"turned", "ok_large_in_blocks", verdict_state::correct},
                                      {"large_softmax", "ok_large_by_reciprocal", verdict_state::correct}}) {
    auto v = judged(c, problem, name);
    INFO(name << ": " << verdict_json(v));
    CHECK(v.state == state);
  }
}

TEST_CASE(
    "a sum in 32 bits of what the reference adds in 64 is wrong, and one that wraps round as it is not") {
  ke_test::checker c;
  auto v = judged(c, "sizes", "d_sum_in_32_bits");
  INFO(verdict_json(v));
  CHECK(v.state == verdict_state::incorrect);
  CHECK(judged(c, "sizes", "ok_sum_in_64_bits").state == verdict_state::correct);
  // A reference that leaves its sums to chance is not asked where they overflow: any width is right.
  auto load = load_problem((redteam / "problems/sizes").string());
  REQUIRE(load.errors.empty());
  auto& p = load.problem;
  p.tensors[1].dtype = dtype::i32;
  p.reference = "#include <cstdint>\n"
                "extern \"C\" void kernel(const int32_t* x, int32_t* y, int64_t m, int64_t n) {\n"
                "  for (int64_t i = 0; i < m; ++i) {\n"
                "    int32_t s = 0;\n"
                "    for (int64_t j = 0; j < n; ++j)\n"
                "      s += x[i * n + j];\n"
                "    y[i] = s;\n"
                "  }\n"
                "}\n";
  auto saturating = p.reference;
  saturating.replace(saturating.find("int32_t s = 0"), 13, "int64_t s = 0");
  saturating.replace(
      saturating.find("y[i] = s"), 8,
      "y[i] = s > INT32_MAX ? INT32_MAX : s < INT32_MIN ? INT32_MIN : static_cast<int32_t>(s)");
  auto w = c.judge(p, saturating);
  INFO(verdict_json(w));
  CHECK(w.state == verdict_state::correct);
}
