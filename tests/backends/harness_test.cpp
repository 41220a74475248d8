// The files of the harness: a compiler takes them as they stand, and what the generator makes of them.
#include "backends/evaluation/harness.hpp"

#include "runtime/process/process_service.hpp"
#include "runtime/process/run_and_wait.hpp"
#include "tests/backends/problems.hpp"
#include "tests/places.hpp"

#include <catch2/catch.hpp>

#include <filesystem>

using namespace ke;
namespace fs = std::filesystem;

namespace {

fs::path in_tree(const char* path) {
  return fs::path{ke::test::source_dir()} / path;
}

/// What the compiler complains about in this text, without making an object.
std::string complaint(const std::string& text, const std::vector<std::string>& flags = {}) {
  process_service processes;
  process_spec spec;
  spec.argv = {"g++", "-std=c++20", "-fsyntax-only", "-I" + in_tree("backends/cpu-cpp").string()};
  spec.argv.insert(spec.argv.end(), flags.begin(), flags.end());
  spec.argv.insert(spec.argv.end(), {"-x", "c++", "-"});
  spec.env = {{"PATH", "/usr/bin:/bin"}, {"LANG", "C"}};
  spec.input = text;
  auto how = run_and_wait(processes, std::move(spec));
  return how.code == 0 ? how.err : "failed: " + how.err;
}

problem with(dtype d) {
  auto p = ke_test::elementwise();
  for (auto& t : p.tensors)
    t.dtype = d;
  return p;
}

/// Holds in the source that follows the widening header.
std::string holds(const std::string& what) {
  return "static_assert(" + what + ");\n";
}

} // namespace

TEST_CASE("the harness of a problem is these bytes: the keys of built objects hold them") {
  CHECK(harness_source(ke_test::elementwise()) ==
        R"(// Generated from the problem: the harness side of the C ABI.
#include <stdint.h>

extern "C" void kernel(const float*, float*, double, int64_t);
extern "C" __attribute__((visibility("default"))) void ke_call(void* const* args) {
  kernel(static_cast<const float*>(args[0]),
         static_cast<float*>(args[1]),
         *static_cast<const double*>(args[2]),
         *static_cast<const int64_t*>(args[3]));
}
)");
}

TEST_CASE("the harness compiles, as a file and for every type of tensor") {
  auto file = in_tree("backends/evaluation/harness/ke_shim.cpp").string();
  CHECK(complaint("#include \"" + file + "\"\n", {"-Wall"}) == "");
  for (auto d : {dtype::f64, dtype::f32, dtype::f16, dtype::bf16, dtype::i64, dtype::i32, dtype::i8,
                 dtype::u8, dtype::boolean, dtype::f8e4m3, dtype::f8e5m2})
    CHECK(complaint(harness_source(with(d)), {"-Wall", "-Wextra"}) == "");
}

TEST_CASE("the widening header makes float, double, bf16 and the libm names wider in each of its forms") {
  for (auto d : {dtype::f32, dtype::f64})
    for (auto as : {widening::all_but_carried, widening::all}) {
      auto p = with(d);
      p.tensors.push_back({"b", tensor_role::out, dtype::bf16, {"N"}, "normal"});
      p.reference = "#include <algorithm>\n// ke_float_to_bf16(1)";
      auto header = widening_header(p, as);
      bool longest = d == dtype::f64, bf16 = as == widening::all;
      CHECK(header.starts_with("#define KE_WIDE_F64\n") == longest);
      CHECK((header.find("#define KE_WIDE_BF16\n") < header.find("#include")) == bf16);
      auto source = "#include <algorithm>\n" + holds("sizeof(float) == 8") + holds("sizeof(_Float16) == 8") +
                    holds(longest ? "sizeof(double) > 8" : "sizeof(double) == 8") +
                    holds("sizeof(uint16_t) == " + std::string{bf16 ? "8" : "2"}) +
                    holds("sizeof(sqrtf(double{2})) == sizeof(double)") +
                    holds("sizeof(ldexpf(double{2}, 1)) == sizeof(double)") +
                    "double f(double x) { return std::clamp(std::max(x, 0.0f), 1.0f, 2.0f); }\n"
                    "uint16_t g(uint16_t x) { return ke_float_to_bf16(ke_bf16_to_float(x) + 1); }\n";
      INFO(source);
      CHECK(complaint(header + source + harness_source(p, as), {"-fopenmp"}) == "");
    }
}

TEST_CASE("eight bits become wider where the reference writes them by a helper, and they alone are uint8_t") {
  for (auto d : {dtype::f8e4m3, dtype::f8e5m2}) {
    const std::string name{to_text(d)};
    auto p = with(dtype::f32);
    p.tensors.push_back({"q", tensor_role::out, d, {"N"}, "normal"});
    CHECK(widest_form(p) == widening::all_but_carried);
    p.reference = "#include <algorithm>\n#include <cstdint>\n// ke_float_to_" + name + "(1)";
    REQUIRE(widest_form(p) == widening::all);
    CHECK(is_wider(p, d, widening::all));
    CHECK_FALSE(is_wider(p, d, widening::all_but_carried));
    CHECK_FALSE(is_wider(p, dtype::bf16, widening::all));
    auto source = "#include <algorithm>\n#include <cstdint>\n" + holds("sizeof(uint8_t) == 8") +
                  holds("sizeof(uint16_t) == 2") + "std::uint8_t f(const uint8_t* x) { return *x; }\n" +
                  "uint8_t g(uint8_t x) { return ke_float_to_" + name + "(ke_" + name +
                  "_to_float(x) / 3); }\nbool h(uint8_t x) { return x & 0x80; }\n";
    CHECK(complaint(widening_header(p, widening::all) + source + harness_source(p, widening::all),
                    {"-fopenmp"}) == "");
    // What is only read is exact as it is, and two kinds of bytes cannot both be it.
    auto read = p;
    read.tensors.back().role = tensor_role::in;
    CHECK(widest_form(read) == widening::all_but_carried);
    for (auto other : {dtype::u8, dtype::boolean, d == dtype::f8e4m3 ? dtype::f8e5m2 : dtype::f8e4m3}) {
      auto two = p;
      two.tensors.push_back({"m", tensor_role::in, other, {"N"}, "normal"});
      CHECK(widest_form(two) == widening::all_but_carried);
    }
  }
}

TEST_CASE("what a reference includes keeps its own types, also by another header, and what is not there is "
          "left out") {
  auto p = with(dtype::f32);
  p.reference = "#include <random>\n#include <functional>\n #  include <complex> // numbers\n#ifdef NEVER\n"
                "#include <no_such_header.h>\n#endif\n#include \"own.h\"\n";
  auto header = widening_header(p, widening::all, "#pragma once\n#include <valarray>\n");
  auto at = [&](const char* what) { return header.find(what); };
  auto first = at("#define float double");
  REQUIRE(first != std::string::npos);
  for (auto* name : {"#include <random>", "#include <complex>", "#include <valarray>"})
    CHECK(at(name) < first);
  CHECK(at("own.h") == std::string::npos);
  CHECK(at("#include <memory>") == std::string::npos); // half a second of a compiler for nothing
  CHECK(complaint(header + "#include <valarray>\n#include <random>\n" +
                  "float f(std::mt19937& g) { return std::normal_distribution<float>{0, 1}(g); }\n" +
                  holds("sizeof(std::complex<float>) == 16")) == "");
}
