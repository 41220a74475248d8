// The first answers for every family, compiled and run against the reference on odd, prime, one and empty
// shapes.

#include "tests/playbook/check_answers.hpp"

#include "runtime/core/digest.hpp"
#include "runtime/playbook/playbook.hpp"

#include <catch2/catch.hpp>

using namespace ke;
using namespace ke::playbook_test;

namespace {

std::vector<std::string> first_answers(const example& e, int count, bool bitwise = false,
                                       const std::string& isa = "avx2 fma") {
  std::vector<std::string> out;
  for (int k = 0; k < count; ++k) {
    request r;
    r.draft = k;
    r.bitwise = bitwise;
    r.isa = isa;
    auto code = code_of(playbook_answer(prompt_of(e, r)));
    if (!code.empty())
      out.push_back(code);
  }
  return out;
}

void check(const std::string& name, int count) {
  const auto& e = example_named(name);
  REQUIRE(e.name == name);
  auto sources = first_answers(e, count);
  REQUIRE(sources.size() >= 2);
  sources.insert(sources.begin(), e.source);
  check_answers(e, sources, 3);
}

} // namespace

TEST_CASE("elementwise answers are right on every shape", "[costly]") {
  for (auto name : {"gelu", "erf_exp", "integers"})
    check(name, 4);
}
TEST_CASE("reduction answers are right on every shape", "[costly]") {
  for (auto name : {"sum_rows", "sum_columns", "dot"})
    check(name, 4);
}
TEST_CASE("softmax answers are right on every shape", "[costly]") {
  for (auto name : {"softmax", "softmax_double"})
    check(name, 4);
}
TEST_CASE("norm answers are right on every shape", "[costly]") {
  check("layernorm", 4);
}
TEST_CASE("matmul answers are right on every shape", "[costly]") {
  for (auto name : {"matmul", "matmul_ikj", "matmul_transposed"})
    check(name, 4);
}
TEST_CASE("convolution answers are right on every shape", "[costly]") {
  for (auto name : {"conv1d", "conv2d_padded"})
    check(name, 4);
}
TEST_CASE("scan answers are right on every shape", "[costly]") {
  for (auto name : {"scan_rows", "scan_exclusive"})
    check(name, 4);
}
TEST_CASE("transpose answers are right on every shape", "[costly]") {
  check("transpose", 6);
}
TEST_CASE("stencil answers are right on every shape", "[costly]") {
  for (auto name : {"stencil2d", "stencil1d"})
    check(name, 4);
}
TEST_CASE("half and brain precision answers are right on every shape", "[costly]") {
  for (auto name : {"norm_bf16", "swish_f16", "matmul_bf16"})
    check(name, 4);
}
TEST_CASE("attention answers are right on every shape", "[costly]") {
  check("attention", 3);
}

TEST_CASE("a bitwise problem gets the reference's bits", "[costly]") {
  for (auto name : {"softmax", "sum_columns", "matmul_ikj"}) {
    const auto& e = example_named(name);
    auto sources = first_answers(e, 3, true);
    REQUIRE_FALSE(sources.empty());
    for (const auto& s : sources) {
      auto body = s.substr(s.find("extern \"C\" void kernel("));
      CHECK(body.find("ke_exp(") == std::string::npos);
      CHECK(body.find("reduction(+") == std::string::npos);
    }
    sources.insert(sources.begin(), e.source);
    // Contraction into fused operations is the compiler's choice per loop; without it the order of operations
    // decides alone.
    compiled object{e, sources, "-O1 -ffp-contract=off"};
    for (const auto& shape : e.shapes) {
      call_data truth{e, shape, 5};
      truth.call(object.entry(0));
      for (std::size_t k = 1; k < sources.size(); ++k) {
        call_data mine{e, shape, 5};
        mine.call(object.entry(k));
        CAPTURE(name, k, nlohmann::json(shape).dump(), sources[k].substr(0, 200));
        CHECK(mine.same_bits(truth));
      }
    }
  }
}
