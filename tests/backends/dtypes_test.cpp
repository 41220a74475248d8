#include "backends/evaluation/evaluate.hpp"
#include "backends/verdict/verdict_rules.hpp"
#include "runtime/core/evidence.hpp"
#include "runtime/core/measure_plan.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/verdict.hpp"
#include "runtime/core/verdict_state.hpp"
#include "runtime/process/process_service.hpp"
#include "tests/places.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <unistd.h>

using namespace ke;

namespace {

const char* c_name(dtype d) {
  switch (d) {
  case dtype::f64:
    return "double";
  case dtype::f32:
    return "float";
  case dtype::f16:
    return "_Float16";
  case dtype::bf16:
    return "uint16_t";
  case dtype::i64:
    return "int64_t";
  case dtype::i32:
    return "int32_t";
  case dtype::i8:
    return "int8_t";
  default:
    return "uint8_t";
  }
}

/// acc[i] = acc[i] + the sum of a row of x, in the dtype's own arithmetic: an inout tensor, a scalar and two
/// dims.
problem row_sums(dtype d) {
  problem p;
  p.name = "row-sums-" + std::string{to_text(d)};
  p.dims = {"M", "N"};
  p.tensors = {{"x", tensor_role::in, d, {"M", "N"}, "normal"},
               {"acc", tensor_role::inout, d, {"M"}, "normal"}};
  p.scalars = {{"k", true, 2}};
  p.workloads = {{"a", {{"M", 33}, {"N", 65}}, 1, false}};
  p.reference_language = "c++";
  std::string t = c_name(d), name{to_text(d)}, load = is_carried(d) ? "ke_" + name + "_to_float" : "",
              store = is_carried(d) ? "ke_float_to_" + name : "(" + t + ")";
  std::string sum = d == dtype::f64 ? "double" : !is_floating(d) ? "int64_t" : "float";
  p.reference =
      "#include \"ke.h\"\n#include <cstdint>\nextern \"C\" void kernel(const " + t + "* x, " + t +
      "* acc, int64_t k, int64_t m, int64_t n) {\n  for (int64_t i = 0; i < m; ++i) {\n    " + sum +
      " s = " + load + "(acc[i]);\n    for (int64_t j = 0; j < n; ++j) s += " + load +
      "(x[i * n + j]);\n    acc[i] = " + (d == dtype::boolean ? "(s & 1);\n" : store + "(s * k);\n") +
      "  }\n}\n";
  return p;
}

/// The reference is compiled twice per dtype; one cache for the file.
struct dtypes_cache_folder {
  std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("ke-dtypes-cache-" + std::to_string(getpid()));
  ~dtypes_cache_folder() {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  }
};
const dtypes_cache_folder dtypes_cache;

verdict judged(const problem& p, const std::string& source, evaluate_options o = {}) {
  auto all = load_backends(std::filesystem::path{ke::test::source_dir()} / "backends", {});
  REQUIRE(all);
  process_service processes;
  o.cache = dtypes_cache.folder;
  o.judge = std::filesystem::path{ke::test::binary_dir()} / "ke-judge";
  o.driver = std::filesystem::path{ke::test::binary_dir()} / "ke-driver";
  auto found = evaluate(p, source, *find_backend(*all, "cpu-cpp"), measure_plan::rank, o, processes);
  if (!found)
    FAIL(found.error().text);
  return verdict_of(*found, p, measure_plan::rank);
}

} // namespace

TEST_CASE("every dtype is judged: the reference passes and one wrong row does not") {
  for (auto d : {dtype::f64, dtype::f32, dtype::f16, dtype::bf16, dtype::i64, dtype::i32, dtype::i8,
                 dtype::u8, dtype::boolean, dtype::f8e4m3, dtype::f8e5m2}) {
    auto p = row_sums(d);
    evaluate_options o;
    o.timed = false;
    auto right = judged(p, p.reference, o);
    INFO(verdict_json(right));
    CHECK(right.state == verdict_state::correct);
    CHECK(right.provenance.at("truth") ==
          (is_floating(d) ? "the reference in wider arithmetic" : "the reference itself"));
    // One of each kind is enough for the other side.
    if (d != dtype::f64 && d != dtype::bf16 && d != dtype::i8 && d != dtype::f8e5m2)
      continue;
    auto short_by_one = p.reference;
    short_by_one.replace(short_by_one.find("i < m"), 5, "i < m - 1");
    CHECK(judged(p, short_by_one, o).state == verdict_state::incorrect);
  }
}

TEST_CASE("OpenMP within the policy's threads is honest work, cold caches or not") {
  problem p;
  p.name = "exponential";
  p.dims = {"N"};
  p.tensors = {{"x", tensor_role::in, dtype::f32, {"N"}, "normal"},
               {"y", tensor_role::out, dtype::f32, {"N"}, "normal"}};
  p.workloads = {{"a", {{"N", 60000}}, 1, false}};
  p.policy.threads = 2;
  p.policy.cold_cache = true;
  p.reference_language = "c++";
  p.reference = "#include <cmath>\n#include <cstdint>\nextern \"C\" void kernel(const float* x, float* y, "
                "int64_t n) {\n"
                "  for (int64_t i = 0; i < n; ++i) y[i] = std::exp(x[i]);\n}\n";
  auto parallel = p.reference;
  parallel.insert(parallel.find("  for"), "#pragma omp parallel for\n");
  auto v = judged(p, parallel);
  INFO(verdict_json(v));
  CHECK((v.state == verdict_state::correct || v.state == verdict_state::noisy));
  CHECK(v.flags.empty());
  CHECK(v.timed_calls > 0);
  CHECK(v.timed_calls == v.timed_calls_checked);
}

TEST_CASE("without a sandbox the verdicts are the same and the record says so") {
  auto p = row_sums(dtype::f32);
  evaluate_options o;
  o.timed = false;
  o.sandbox = "none";
  auto v = judged(p, p.reference, o);
  CHECK(v.state == verdict_state::correct);
  CHECK(v.provenance.at("sandbox") == "none");
  auto crash = p.reference;
  crash.insert(crash.find("  for"), "  __builtin_trap();\n");
  v = judged(p, crash, o);
  CHECK(v.state == verdict_state::crashed);
  CHECK(v.reason.find("signal 4") != std::string::npos);
}

TEST_CASE("a Python reference and an absent judge are the caller's errors, not verdicts") {
  auto p = row_sums(dtype::f32);
  auto all = load_backends(std::filesystem::path{ke::test::source_dir()} / "backends", {});
  REQUIRE(all);
  process_service processes;
  evaluate_options o;
  o.judge = "/nonexistent/ke-judge";
  auto cpu = *find_backend(*all, "cpu-cpp");
  auto found = evaluate(p, p.reference, cpu, measure_plan::rank, o, processes);
  REQUIRE_FALSE(found);
  CHECK(found.error().kind == failure_kind::missing);
  p.reference_language = "python";
  found = evaluate(p, p.reference, cpu, measure_plan::rank, o, processes);
  REQUIRE_FALSE(found);
  CHECK(found.error().kind == failure_kind::invalid);
}
