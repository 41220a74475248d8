// Several kernels in one source: what each computes, that nothing of one acts on another, and what is
// refused.
#include "backends/evaluation/dispatcher.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/verdict_state.hpp"

#include "backends/evaluation/isolated_source.hpp"
#include "runtime/process/run_and_wait.hpp"
#include "tests/backends/evaluation.hpp"
#include "tests/backends/problems.hpp"

#include <catch2/catch.hpp>

#include <dlfcn.h>

#include <filesystem>
#include <fstream>

using namespace ke;
namespace fs = std::filesystem;

namespace {

/// Writes `value` into its only output: who has computed can be seen.
std::string writes(const std::string& value, const std::string& around = "") {
  return "#include <cstdint>\n" + around +
         "\nextern \"C\" void kernel(float* y, int64_t n) {\n  y[0] = " + value + ";\n  (void)n;\n}\n";
}

problem one_number(std::vector<std::int64_t> sizes) {
  problem p;
  p.name = "number";
  p.dims = {"N"};
  p.tensors = {{"y", tensor_role::out, dtype::f32, {"N"}, "normal"}};
  for (auto n : sizes)
    p.workloads.push_back({"n" + std::to_string(n), {{"N", n}}, 1.0, false});
  p.reference_language = "c++";
  p.reference = writes("-1");
  return p;
}

/// One rule per workload: the part of the same number.
result<std::string> one_each(const problem& p, const std::vector<std::string>& sources) {
  auto buckets = shape_buckets(p);
  std::vector<dispatcher_part> parts;
  std::vector<dispatcher_rule> rules;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    parts.push_back({"node " + std::to_string(i + 1), sources[i]});
    rules.push_back({buckets[i], i, p.workloads[i].name});
  }
  return cpp_dispatcher(p, parts, rules, {"the reference", p.reference});
}

/// Compiles and loads what the tests make, for `N` alone.
class built {
public:
  explicit built(const std::string& source) {
    static int number = 0;
    folder_ = fs::temp_directory_path() /
              ("ke-dispatcher-" + std::to_string(getpid()) + "-" + std::to_string(++number));
    fs::create_directories(folder_);
    std::ofstream{folder_ / "kernel.cpp"} << source;
    process_spec spec;
    spec.argv = {"g++",         "-std=c++20", "-O1", "-fPIC",    "-shared",
                 "-Wl,-z,defs", "kernel.cpp", "-o",  "kernel.so"};
    spec.argv.insert(spec.argv.begin() + 1,
                     "-I" + (fs::path{ke::test::source_dir()} / "backends" / "cpu-cpp").string());
    spec.env = {{"PATH", "/usr/bin:/bin"}, {"LANG", "C"}};
    spec.directory = folder_.string();
    auto how = run_and_wait(processes_, std::move(spec));
    INFO(source);
    INFO(how.err);
    REQUIRE(how.code == 0);
    loaded_ = ::dlopen((folder_ / "kernel.so").c_str(), RTLD_NOW | RTLD_LOCAL);
    REQUIRE(loaded_);
  }
  ~built() {
    if (loaded_)
      ::dlclose(loaded_);
    std::error_code ignored;
    fs::remove_all(folder_, ignored);
  }
  built(const built&) = delete;
  built& operator=(const built&) = delete;

  float operator()(std::int64_t n) const {
    float y = 0;
    reinterpret_cast<void (*)(float*, std::int64_t)>(::dlsym(loaded_, "kernel"))(&y, n);
    return y;
  }

private:
  process_service processes_;
  fs::path folder_;
  void* loaded_ = nullptr;
};

std::string why_refused(const std::string& source) {
  auto made = isolate_cpp(source, "ke_part");
  return made ? std::string{} : made.error().text;
}

} // namespace

TEST_CASE("buckets of workloads share no shape and hold their own") {
  auto p = ke_test::softmax();
  p.workloads = {{"a", {{"M", 16}, {"N", 1024}}, 1.0, false},
                 {"b", {{"M", 16}, {"N", 1536}}, 1.0, false},
                 {"c", {{"M", 17}, {"N", 1024}}, 1.0, false},
                 {"same as a", {{"M", 16}, {"N", 1024}}, 1.0, false},
                 {"held out", {{"M", 12}, {"N", 1100}}, 1.0, true}};
  auto all = shape_buckets(p);
  REQUIRE(all.size() == 5);
  CHECK(all[4].empty());
  CHECK(bucket_text(p, all[0]) == bucket_text(p, all[3]));
  auto inside = [](const shape_bucket& b, std::int64_t m, std::int64_t n) {
    return b[0].low <= m && m <= b[0].high && b[1].low <= n && n <= b[1].high;
  };
  for (std::size_t i = 0; i < 4; ++i)
    CHECK(inside(all[i], p.workloads[i].dims["M"], p.workloads[i].dims["N"]));
  for (std::int64_t m = 1; m < 80; ++m)
    for (std::int64_t n = 256; n < 4096; n += 16)
      CHECK(inside(all[0], m, n) + inside(all[1], m, n) + inside(all[2], m, n) <= 1);
  CHECK(bucket_text(p, shape_buckets(p, 1)[1]) == "M 16, N 1536");
}

TEST_CASE("a dispatcher gives each shape to its kernel and all others to the reference") {
  auto p = one_number({8, 1000});
  auto source = one_each(p, {writes("1"), writes("2")});
  REQUIRE(source);
  CHECK(source->starts_with(dispatcher_mark));
  CHECK(source->find("N 4..16 (workload n8): node 1") != std::string::npos);
  CHECK(source->find("every other shape: the reference") != std::string::npos);
  built f{*source};
  CHECK(f(8) == 1);
  CHECK(f(4) == 1);
  CHECK(f(16) == 1);
  CHECK(f(17) == -1);
  CHECK(f(3) == -1);
  CHECK(f(1000) == 2);
  CHECK(f(499) == -1);
  CHECK(f(2001) == -1);
}

TEST_CASE(
    "kernels with the same names of helpers - types - macros - statics - headers live beside each other") {
  auto p = one_number({8, 64, 512, 4096});
  auto first = writes("helper(TILE) + count++", R"(#define TILE 10
#define SQUARE(x) ((x) * (x)) /* one */
static int count = 0;
struct shape { int kernel = 0; };
template <class T> static T helper(T x) { return x + 1; }
extern "C" { static inline int linked() { return 3; } })");
  auto second = writes("helper(TILE)", R"(#include "ke.h"
#include <algorithm>
#pragma once
#pragma GCC optimize("O3,unroll-loops")
#ifndef TILE
#define TILE 20
#endif
namespace { int count = 7; struct shape { double d; }; }
using namespace std;
static int helper(int x) { return max(x, count) + static_cast<int>(ke_bf16_to_float(0)); }
extern "C" { static inline int linked() { return 4; } })");
  auto third = writes("(float)SQUARE", R"(#if defined(__x86_64__) && !defined(NOTHING)
#include <immintrin.h>
#else
#include <math.h>
#endif
enum { SQUARE = 30 };
const char* text = R"x(#include "none.h" kernel })x" "";
extern "C" double sqrt(double);)");
  auto fourth = writes("M_PI > 3 ? 40 : 0", "#include <cmath>\n#ifndef M_PI\n#define M_PI 4\n#endif\n"
                                            "#undef SQUARE\n%:define T \\\n  1\n");
  auto source = one_each(p, {first, second, third, fourth});
  INFO((source ? "" : source.error().text));
  REQUIRE(source);
  built f{*source};
  CHECK(f(8) == 11);
  CHECK(f(8) == 12);
  CHECK(f(64) == 20);
  CHECK(f(512) == 30);
  CHECK(f(4096) == 40);
  CHECK(f(100000) == -1);
}

TEST_CASE("a dispatcher may be a part of another one") {
  auto p = one_number({8, 1000});
  auto inner = one_each(p, {writes("1"), writes("2")});
  REQUIRE(inner);
  auto outer = one_each(p, {*inner, writes("2")});
  REQUIRE(outer);
  built f{*outer};
  CHECK(f(8) == 1);
  CHECK(f(1000) == 2);
  CHECK(f(100) == -1);
}

TEST_CASE("what can't stand in one source with others is refused with its reason") {
  CHECK(why_refused(writes("1", "namespace std { template <class T> struct mine; }")) ==
        "it declares something in namespace std");
  CHECK(why_refused(writes("1", "extern \"C\" {\n#include <math.h>\n}")) ==
        "it includes a header within a declaration");
  CHECK(why_refused(writes("1", "#define FAST 1\n#if FAST\n#include <math.h>\n#endif")) ==
        "it includes a header by a condition on its own macros");
  CHECK(why_refused(writes("1", "#define WHICH <math.h>\n#include WHICH")) ==
        "it includes a header whose name is a macro's");
  CHECK(why_refused(writes("1", "#pragma GCC visibility push(hidden)")) ==
        "its #pragma GCC visibility may act on what follows it");
  CHECK(why_refused(writes("1", "#pragma pack(1)")) == "its #pragma pack ( may act on what follows it");
  CHECK(why_refused(writes("1", "#define kernel other")) == "it makes `kernel` a macro");
  CHECK(why_refused(writes("1", "#line 7")) == "it has a directive #line");
  CHECK(why_refused(writes("1", "#if 1")) == "a condition of its preprocessor is never closed");
  CHECK(why_refused("\t.globl\tkernel\nkernel:\n\tret\n").starts_with("the lexer does not understand it"));
  CHECK(why_refused(writes("1", "using namespace std;")).empty());
  auto p = one_number({8, 1000});
  auto refused = one_each(p, {writes("1"), writes("2", "#pragma weak x")});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().text ==
        "node 2 can't stand in one source with others: its #pragma weak x may act on what follows it");
}

TEST_CASE("a dispatcher of right kernels is judged right on every shape - one with a wrong part is not") {
  ke_test::checker check;
  auto p = ke_test::softmax();
  auto wide = p.reference;
  wide.insert(0, "#define ROWS m\n");
  auto good = one_each(p, {wide, p.reference});
  REQUIRE(good);
  auto v = check.judge(p, *good);
  INFO(v.reason + "\n" + v.log);
  CHECK(v.state == verdict_state::correct);
  auto wrong = p.reference;
  wrong.replace(wrong.find("/ sum"), 5, "/ (2 * sum)");
  auto bad = one_each(p, {wide, wrong});
  REQUIRE(bad);
  CHECK(check.judge(p, *bad).state == verdict_state::incorrect);
}
