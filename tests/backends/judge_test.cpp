#include "backends/judge/expectation.hpp"
#include "backends/judge/fake_answers.hpp"
#include "backends/judge/inputs.hpp"
#include "backends/judge/memory_trend.hpp"
#include "backends/judge/shapes.hpp"
#include "runtime/core/problem.hpp"
#include "tests/backends/problems.hpp"

#include <catch2/catch.hpp>

#include <cmath>
#include <limits>

using namespace ke;

namespace {

expectation around(const std::vector<double>& truth) {
  problem p;
  auto rule = rule_for(p, dtype::f32, true);
  return expect(dtype::f32, truth.data(), true, truth.size(), rule);
}

std::size_t failures(const expectation& e, std::vector<float> got) {
  return check(e, got.data()).failed;
}

} // namespace

TEST_CASE("a check compares finite masks first and never lets a NaN pass") {
  double inf = std::numeric_limits<double>::infinity(), nan = std::nan("");
  float finf = std::numeric_limits<float>::infinity(), fnan = std::nanf("");
  auto e = around({1.0, inf, nan, 0.0});
  CHECK(failures(e, {1.0f, finf, fnan, 0.0f}) == 0);
  CHECK(failures(e, {fnan, finf, fnan, 0.0f}) == 1);
  CHECK(failures(e, {1.0f, -finf, fnan, 0.0f}) == 1);
  CHECK(failures(e, {1.0f, 3e38f, fnan, 0.0f}) == 1);
  CHECK(failures(e, {1.0f, finf, 0.0f, 0.0f}) == 1);
  CHECK(failures(e, {finf, finf, fnan, fnan}) == 2);
  CHECK(check(e, std::vector<float>{fnan, finf, fnan, 0.0f}.data()).first == 0);
}

TEST_CASE("a sum in another order passes and a shadow in half the width does not") {
  auto e = around({3.14159265358979, 2.71828182845905e-3});
  CHECK(failures(e, {3.1415927f, 2.7182818e-3f}) == 0);
  CHECK(failures(e, {static_cast<float>(static_cast<_Float16>(3.1415927f)), 2.7182818e-3f}) == 1);
  auto close = check(e, std::vector<float>{std::nextafter(3.1415927f, 4.0f), 2.7182818e-3f}.data());
  CHECK(close.failed == 0);
  CHECK(close.worst > 0);
  CHECK(close.worst < 1);
}

TEST_CASE("integers and bits are compared exactly") {
  problem p;
  std::vector<std::int32_t> truth{1, -2, 3}, wrong{1, -2, 4};
  auto e = expect(dtype::i32, truth.data(), false, 3, rule_for(p, dtype::i32, true));
  CHECK(check(e, truth.data()).failed == 0);
  CHECK(check(e, wrong.data()).failed == 1);
  CHECK(check(e, wrong.data()).first == 2);
  p.bitwise = true;
  CHECK(rule_for(p, dtype::f32, true).exact);
}

TEST_CASE("every dtype survives the way into a tensor and out of it") {
  random_source random{3};
  for (auto d : {dtype::f64, dtype::f32, dtype::f16, dtype::bf16, dtype::i64, dtype::i32, dtype::i8,
                 dtype::u8, dtype::boolean}) {
    INFO(to_text(d));
    tensor_spec t{"t", tensor_role::in, d, {"N"}, "normal"};
    problem p;
    auto bytes = draw_tensor(p, t, 500, 500, distribution::init, random);
    REQUIRE(bytes);
    auto wide = widened(d, *bytes);
    bool differs = false;
    for (std::size_t i = 0; i < 500; ++i) {
      CHECK(static_cast<double>(wide_element(d, wide.data(), i)) == element(d, bytes->data(), i));
      differs = differs || element(d, bytes->data(), i) != element(d, bytes->data(), 0);
    }
    CHECK(differs);
    auto changed = *bytes;
    CHECK(perturb_one(t, changed, random));
    CHECK(changed != *bytes);
  }
}

TEST_CASE("onehot rows hold a single one and mostly_zero is mostly zero") {
  random_source random{4};
  problem p;
  auto rows =
      draw_tensor(p, {"t", tensor_role::in, dtype::f32, {}, "onehot"}, 60, 6, distribution::large, random);
  REQUIRE(rows);
  for (int r = 0; r < 10; ++r) {
    double sum = 0;
    for (int c = 0; c < 6; ++c)
      sum += element(dtype::f32, rows->data(), r * 6 + c);
    CHECK(sum == 1.0);
  }
  auto sparse = draw_tensor(p, {"t", tensor_role::in, dtype::f32, {}, "normal"}, 1000, 1000,
                            distribution::mostly_zero, random);
  REQUIRE(sparse);
  int zeros = 0;
  for (int i = 0; i < 1000; ++i)
    zeros += element(dtype::f32, sparse->data(), i) == 0;
  CHECK(zeros > 750);
  CHECK(zeros < 1000);
}

TEST_CASE("secret shapes are new") {
  random_source random{5};
  auto p = ke_test::softmax();
  auto found = secret_shapes(p, 5, 1 << 18, random);
  REQUIRE(found.size() == 5);
  for (const auto& s : found)
    for (const auto& w : p.workloads)
      CHECK(s.dims != w.dims);
}

TEST_CASE("secret shapes leave the extents of a .npy file alone: it holds no element more") {
  random_source random{6};
  auto p = ke_test::softmax();
  p.tensors[0].init = "x.npy";
  CHECK(secret_shapes(p, 5, 1 << 18, random).empty());
  p.tensors[0].shape = {"N"};
  auto found = secret_shapes(p, 5, 1 << 18, random);
  CHECK_FALSE(found.empty());
  for (const auto& s : found)
    CHECK(std::any_of(p.workloads.begin(), p.workloads.end(),
                      [&](const workload& w) { return w.dims.at("N") == s.dims.at("N"); }));
}

TEST_CASE("the admission test rejects a check that lets a wrong answer through") {
  auto p = ke_test::elementwise();
  auto slot_for = [&](const std::vector<float>& out, double atol) {
    auto q = p;
    q.tolerances["f32"] = {0, atol};
    bank_slot s;
    s.inputs = {std::string(out.size() * 4, 'x'), ""};
    s.outputs.resize(2);
    s.outputs[1] = expect(dtype::f32, out.data(), false, out.size(), rule_for(q, dtype::f32, false));
    return std::pair{s, std::vector<std::string>{
                            "", std::string(reinterpret_cast<const char*>(out.data()), out.size() * 4)}};
  };
  for (auto [atol, fit] : {std::pair{1e-6, true}, {10.0, false}}) {
    admission a{p};
    for (auto out : {std::vector<float>{1, 2, 3, -4}, std::vector<float>{2, 0.5, -1, 7}}) {
      auto [slot, reference] = slot_for(out, atol);
      bound_shapes shapes;
      shapes.shapes = {{4}, {4}};
      a.add(slot, shapes, reference);
    }
    CHECK(a.verdict().empty() == fit);
  }
}

TEST_CASE("a candidate whose compiler loads until its time is up was not on its way to the memory limit") {
  constexpr std::uint64_t mib = 1 << 20, limit = 768 * mib;
  auto over_time = [](auto&& at) {
    std::vector<std::uint64_t> in_use;
    for (std::uint64_t i = 0; i <= 100; ++i)
      in_use.push_back(at(i) * mib);
    return in_use;
  };
  auto libraries = over_time([](std::uint64_t i) { return i < 50 ? i : 50 + (i - 50) * 170 / 50; });
  CHECK(libraries.back() == 220 * mib);
  CHECK_FALSE(heads_for_limit(libraries, limit));
  CHECK_FALSE(heads_for_limit(over_time([](std::uint64_t) { return 700u; }), limit)); // has what it needs
  CHECK(heads_for_limit(over_time([](std::uint64_t i) { return 4 * i; }), limit));    // a bomb, slowly
  CHECK_FALSE(heads_for_limit(over_time([](std::uint64_t i) { return 3 * i; }), limit));
  CHECK_FALSE(heads_for_limit({0, limit / 2, limit - 1}, limit)); // too few looks
}
