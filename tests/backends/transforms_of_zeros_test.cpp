// Winograd's transform of inputs that are mostly zeros.
#include "backends/judge/truth.hpp"
#include "backends/judge/truth_bank.hpp"
#include "runtime/core/problem.hpp"
#include "tests/backends/fake_device.hpp"
#include "tests/backends/known_bank.hpp"
#include "tests/fixtures/transforms/winograd2d.cpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

using namespace ke;
using ke_test::known_bank;

namespace {

constexpr std::int64_t taps = 9, side = 8, out_side = side - 2, in = taps + side * side,
                       out = out_side * out_side, rows = 1;

/// Each row has a filter of its own before its image.
template <class T>
void convolutions(const T* x, T* y, std::int64_t n) {
  for (std::int64_t row = 0; row < n; ++row, x += in, y += out)
    for (std::int64_t p = 0; p < out_side; ++p)
      for (std::int64_t q = 0; q < out_side; ++q) {
        T sum = 0;
        for (std::int64_t r = 0; r < 3; ++r)
          for (std::int64_t s = 0; s < 3; ++s)
            sum += x[taps + (p + r) * side + q + s] * x[r * 3 + s];
        y[p * out_side + q] = sum;
      }
}

void in_float(float* x, float* y, std::int64_t n) {
  convolutions(x, y, n);
}

void in_double(float* x, float* y, std::int64_t n) {
  convolutions(reinterpret_cast<const double*>(x), reinterpret_cast<double*>(y), n);
}

judge_task task_of_convolutions() {
  judge_task task;
  task.what.name = "convolutions";
  task.what.dims = {"N"};
  task.what.tensors = {{"x", tensor_role::in, dtype::f32, {"N", std::to_string(in)}, "normal"},
                       {"y", tensor_role::out, dtype::f32, {"N", std::to_string(out)}, "normal"}};
  task.what.workloads = {{"all", {{"N", rows}}, 1, false}};
  task.what.tensor_scale = true;
  task.what.reference_language = "c++";
  task.reference = "reference";
  return task;
}

/// The worst error over its bound of Winograd's F(4x4, 3x3).
double worst_of_transforms(std::uint64_t key) {
  known_bank bank{key};
  auto task = task_of_convolutions();
  auto seam = ke_test::device_with_truth(in_float, in_double);
  auto shapes = *bind_shapes(task.what, "all", {{"N", rows}});
  auto memory = [&](bool wide) {
    return caller::memory_for(task.what, shapes, truth_source::batch_of(task.what, shapes), wide);
  };
  truth_source truths{task, seam, memory(false), memory(true), {}, bank.for_a_judge()};
  REQUIRE(truths.use(shapes));
  REQUIRE(truths.make(distribution::init, 2));
  auto slots = truths.make(distribution::mostly_zero, 1);
  REQUIRE(slots);
  REQUIRE(slots->size() == 1);
  REQUIRE(truths.wide());
  std::vector<float> x(rows * in), y(rows * out);
  REQUIRE(slots->front().inputs[0].size() == x.size() * sizeof x[0]);
  std::memcpy(x.data(), slots->front().inputs[0].data(), slots->front().inputs[0].size());
  for (std::int64_t row = 0; row < rows; ++row)
    kernel(&x[row * in + taps], &x[row * in], &y[row * out], 1, side, side, 1);
  return check(slots->front().outputs[1], y.data()).worst;
}

} // namespace

TEST_CASE(
    "Bug: a transform of mostly zeros was held to its largest output, where the largest terms met in none") {
  // The worst of 2,000 keys. By what these outputs come to, they err by 0.5 and 0.7 of the bound and (of outputs that are all zero)
  // by more than 10^30 times; in some other thousands by 2.8.
  for (std::uint64_t key : {583, 755, 1566, 1876, 1918}) {
    INFO(key);
    CHECK(worst_of_transforms(key) < 0.1);
  }
}
