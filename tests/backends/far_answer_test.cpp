// One answer of the reference that errs far, in the bound of all that is drawn after it.
#include "backends/judge/left_out.hpp"
#include "backends/judge/truth.hpp"
#include "backends/judge/truth_bank.hpp"
#include "runtime/core/problem.hpp"
#include "tests/backends/fake_device.hpp"

#include <catch2/catch.hpp>

#include <array>
#include <cstdint>
#include <limits>
#include <sys/mman.h>
#include <unistd.h>

using namespace ke;
using ke_test::fake_device;

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

/// A bank whose key is known, so that each run of the test draws the same.
std::shared_ptr<truth_bank> bank_of(std::uint64_t key) {
  int file = memfd_create("bank", MFD_CLOEXEC);
  std::array<std::uint64_t, 2> head{key, sizeof head};
  REQUIRE(write(file, head.data(), sizeof head) == sizeof head);
  auto bank = std::make_shared<truth_bank>(file);
  REQUIRE(bank->key() == key);
  return bank;
}

/// What the check accepts of wrong answers to sums with this bank.
std::string accepted(std::uint64_t key) {
  ke_test::device_kernels() = {{"reference", {.body = errs_far}}, {"truth", {.body = never_errs}}};
  auto seam = fake_device();
  seam.truth = [](const judge_task&) {
    return truth_form{.object = "truth", .wider = {true, true}, .traps_overflow = false};
  };
  judge_task task;
  task.what.name = "sums";
  task.what.dims = {"N"};
  task.what.tensors = {{"x", tensor_role::in, dtype::f32, {"N", std::to_string(terms)}, "normal"},
                       {"y", tensor_role::out, dtype::f32, {"N"}, "normal"}};
  task.what.workloads = {{"all", {{"N", rows}}, 1, false}};
  task.what.reference_language = "c++";
  task.reference = "reference";
  auto shapes = *bind_shapes(task.what, "all", {{"N", rows}});
  const auto memory = [&](bool wide) {
    return caller::memory_for(task.what, shapes, truth_source::batch_of(task.what, shapes), wide);
  };
  truth_source truths{task, seam, memory(false), memory(true), {}, bank_of(key)};
  REQUIRE(truths.use(shapes));
  auto seen = try_left_out_work(truths, task.what, shapes, 1);
  REQUIRE(seen);
  REQUIRE(*seen);
  REQUIRE(truths.wide());
  return (*seen)->verdict();
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
