// Sums of subnormal halves, each way round.
#include "backends/judge/truth.hpp"
#include "backends/judge/truth_bank.hpp"
#include "runtime/core/problem.hpp"
#include "tests/backends/fake_device.hpp"
#include "tests/backends/known_bank.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

using namespace ke;
using ke_test::known_bank;

namespace {

constexpr std::int64_t terms = 512, rows = 64;

/// Row sums from the first term on, or from the last; `S` rounds each of them.
template <class S, class T>
void row_sums(const T* x, T* y, std::int64_t n, bool from_the_end = false) {
  for (std::int64_t row = 0; row < n; ++row) {
    S sum = 0;
    for (std::int64_t i = 0; i < terms; ++i)
      sum = static_cast<S>(sum + x[row * terms + (from_the_end ? terms - 1 - i : i)]);
    y[row] = static_cast<T>(sum);
  }
}

void in_half(float* x, float* y, std::int64_t n) {
  row_sums<_Float16>(reinterpret_cast<const _Float16*>(x), reinterpret_cast<_Float16*>(y), n);
}

void in_double(float* x, float* y, std::int64_t n) {
  row_sums<double>(reinterpret_cast<const double*>(x), reinterpret_cast<double*>(y), n);
}

judge_task sums() {
  judge_task task;
  task.what.name = "sums";
  task.what.dims = {"N"};
  task.what.tensors = {{"x", tensor_role::in, dtype::f16, {"N", std::to_string(terms)}, "normal"},
                       {"y", tensor_role::out, dtype::f16, {"N"}, "normal"}};
  task.what.workloads = {{"all", {{"N", rows}}, 1, false}};
  task.what.reference_language = "c++";
  task.reference = "reference";
  return task;
}

/// The worst error over its bound of sums of subnormal terms from their end, where bounds were tightened.
double worst_from_the_end(std::uint64_t key) {
  known_bank bank{key};
  auto task = sums();
  auto seam = ke_test::device_with_truth(in_half, in_double);
  auto shapes = *bind_shapes(task.what, "all", {{"N", rows}});
  auto memory = [&](bool wide) {
    return caller::memory_for(task.what, shapes, truth_source::batch_of(task.what, shapes), wide);
  };
  truth_source truths{task, seam, memory(false), memory(true), {}, bank.for_a_judge()};
  REQUIRE(truths.use(shapes));
  REQUIRE(truths.make(distribution::init, 8));
  REQUIRE(truths.wide());
  while (truths.tighten(true)) {
  }
  auto slots = truths.edge(edge_kind::subnormal);
  REQUIRE(slots);
  REQUIRE(slots->size() == 1);
  const auto& slot = slots->front();
  std::vector<_Float16> x(rows * terms), y(rows);
  REQUIRE(slot.inputs[0].size() == x.size() * sizeof x[0]);
  std::memcpy(x.data(), slot.inputs[0].data(), slot.inputs[0].size());
  row_sums<_Float16>(x.data(), y.data(), rows, true);
  return check(slot.outputs[1], y.data()).worst;
}

} // namespace

TEST_CASE("Bug: one in some thousand judgements refused subnormal sums in the other order, where the "
          "reference's own had "
          "hardly rounded in both") {
  // The worst of 2,000 keys. By the reference's error on these inputs alone they come to 0.82 to 1.07 of the bound.
  for (std::uint64_t key : {467, 1383, 932, 172, 512}) {
    INFO(key);
    CHECK(worst_from_the_end(key) < 0.7);
  }
}
