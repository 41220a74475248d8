// One answer of the reference that errs far, in the bound of all that is drawn after it.
#include "backends/judge/left_out.hpp"
#include "backends/judge/truth.hpp"
#include "backends/judge/truth_bank.hpp"
#include "runtime/core/problem.hpp"
#include "tests/backends/fake_device.hpp"
#include "tests/backends/known_bank.hpp"

#include <catch2/catch.hpp>

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

using namespace ke;
using ke_test::known_bank;

namespace {

constexpr std::int64_t terms = 64, rows = 128;
double errs_from = 0; ///< a first term beyond it is added with an error

template <class T>
void far_row_sums(const T* x, T* y, std::int64_t n, double error) {
  for (std::int64_t row = 0; row < n; ++row) {
    y[row] = 0;
    for (std::int64_t i = 0; i < terms; ++i)
      y[row] += x[row * terms + i];
  }
  if (x[0] > errs_from)
    y[0] += static_cast<T>(error);
}

/// Less than a hundredth of the sums, beyond which the wider form were no truth, and more than half precision loses.
void errs_far(float* x, float* y, std::int64_t n) {
  far_row_sums(x, y, n, 0.05);
}

void never_errs(float* x, float* y, std::int64_t n) {
  far_row_sums(reinterpret_cast<const double*>(x), reinterpret_cast<double*>(y), n, 0);
}

judge_task sums() {
  judge_task task;
  task.what.name = "sums";
  task.what.dims = {"N"};
  task.what.tensors = {{"x", tensor_role::in, dtype::f32, {"N", std::to_string(terms)}, "normal"},
                       {"y", tensor_role::out, dtype::f32, {"N"}, "normal"}};
  task.what.workloads = {{"all", {{"N", rows}}, 1, false}};
  task.what.reference_language = "c++";
  task.reference = "reference";
  return task;
}

/// A judge's truths of sums.
struct sums_bench {
  explicit sums_bench(const known_bank& bank) : bank{bank} {}

  /// What the check accepts of wrong answers.
  std::string accepted() {
    REQUIRE(truths.use(shapes));
    auto seen = try_left_out_work(truths, task.what, shapes, 1);
    REQUIRE(seen);
    REQUIRE(*seen);
    REQUIRE(truths.wide());
    return (*seen)->verdict();
  }

  const known_bank& bank;
  driver_seam seam = ke_test::device_with_truth(errs_far, never_errs);
  judge_task task = sums();
  bound_shapes shapes = *bind_shapes(task.what, "all", {{"N", rows}});
  truth_source truths{task, seam, memory(false), memory(true), {}, bank.for_a_judge()};

private:
  std::size_t memory(bool wide) const {
    return caller::memory_for(task.what, shapes, truth_source::batch_of(task.what, shapes), wide);
  }
};

std::string accepted(std::uint64_t key) {
  known_bank bank{key};
  return sums_bench{bank}.accepted();
}

} // namespace

TEST_CASE("Bug: one answer that errs far, as of hundreds one does, made a problem unfit") {
  errs_from = 1.65; // one input of twenty
  for (std::uint64_t key = 1; key <= 40; ++key) {
    INFO(key);
    CHECK(accepted(key) == "");
  }
}

TEST_CASE("a reference that errs far on every input is no measure of half precision") {
  errs_from = -std::numeric_limits<double>::infinity();
  CHECK(accepted(1).find("arithmetic in half the width") != std::string::npos);
}

TEST_CASE(
    "what an admission found out is as good as found out again: the same bounds, inputs and sizes of sums") {
  errs_from = 1.65;
  for (std::uint64_t key : {13, 39, 40}) { // the first two meet a far answer
    known_bank bank{key};
    sums_bench first{bank}, later{bank};
    CHECK_FALSE(first.truths.recall_admission(first.shapes));
    auto found = first.accepted();
    first.truths.keep_admission(found);
    CHECK(later.truths.recall_admission(later.shapes) ==
          std::nullopt); // a bank's reader sees what lay there before it
    sums_bench last{bank};
    CHECK(last.truths.recall_admission(last.shapes) == found);
    CHECK_FALSE(last.truths.recall_admission(last.shapes)); // no second time
    CHECK(last.truths.allowed().reference_errors == first.truths.allowed().reference_errors);
    std::vector<bank_slot> drawn[2];
    for (auto* one : {&first, &last}) {
      REQUIRE(one->truths.use(one->shapes));
      auto slots = one->truths.make(distribution::init, 2);
      REQUIRE(slots);
      drawn[one == &last] = *std::move(slots);
    }
    REQUIRE(drawn[1].size() == 2);
    CHECK(drawn[0][1].inputs == drawn[1][1].inputs);
    CHECK(drawn[0][1].outputs[1].low64 == drawn[1][1].outputs[1].low64);
    CHECK(drawn[0][1].outputs[1].low == drawn[1][1].outputs[1].low);
    CHECK(last.truths.reductions() == first.truths.reductions());
    CHECK(last.truths.rule_of(1, distribution::init).absolute ==
          first.truths.rule_of(1, distribution::init).absolute);
  }
}

TEST_CASE(
    "Bug: a truth was replayed as a graph, where what makes it so waits for the device, and there was none") {
  errs_from = std::numeric_limits<double>::infinity();
  known_bank bank{1};
  sums_bench bench{bank};
  bench.task.what.policy.graph_launch = true;
  ke_test::device_kernels().at("truth").captured = false;
  REQUIRE(bench.truths.use(bench.shapes));
  REQUIRE(bench.truths.make(distribution::init, 1));
  CHECK(bench.truths.wide());
}
