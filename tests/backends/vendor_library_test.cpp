#include "backends/evaluation/kernel_builder.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/verdict_state.hpp"
#include "tests/backends/evaluation.hpp"
#include "tests/backends/problems.hpp"

using namespace ke;

namespace {

problem with_vendor_libraries() {
  auto p = ke_test::elementwise();
  p.reference = "#include <cstdint>\n"
                "extern \"C\" void kernel(const float* x, float* y, double scale, int64_t n) {\n"
                "  for (int64_t i = 0; i < n; ++i) y[i] = x[i] * static_cast<float>(scale);\n}\n";
  p.policy.vendor_libraries = true;
  return p;
}

const std::string by_openblas =
    "#include <cstdint>\n#include <cstring>\n"
    "extern \"C\" void cblas_sscal(int n, float alpha, float* x, int step);\n"
    "extern \"C\" void kernel(const float* x, float* y, double scale, int64_t n) {\n"
    "  std::memcpy(y, x, n * sizeof(float));\n  cblas_sscal((int)n, (float)scale, y, 1);\n}\n";

} // namespace

TEST_CASE(
    "a kernel of OpenBLAS is right where the problem allows vendor libraries, and not built elsewhere") {
  ke_test::checker c;
  auto p = with_vendor_libraries();
  auto v = c.judge(p, by_openblas);
  INFO(verdict_json(v));
  CHECK(v.state == verdict_state::correct);

  p.policy.vendor_libraries = false;
  CHECK(c.judge(p, by_openblas).state == verdict_state::build_failed);
}

TEST_CASE(
    "a vendor library that is not installed is named with what to do; it is not the reference's fault") {
  ke_test::checker c;
  c.cpu.vendor_flags = {"-lke_never_installed"};
  auto p = with_vendor_libraries();
  auto v = c.judge(p, p.reference);
  CHECK(v.state == verdict_state::unfit_problem);
  CHECK(v.reason == "policy.vendor_libraries = true, and ke_never_installed is not installed here; " +
                        c.cpu.vendor_hint + ", or take the key out of the problem");
}

TEST_CASE("another failure of a build is not blamed on a vendor library") {
  backend with;
  with.vendor_flags = {"-lopenblas"};
  auto what = with_vendor_libraries();
  CHECK(missing_vendor_library("/usr/bin/ld: cannot find -lopenblas: No such file or directory", with,
                               what) != "");
  CHECK(missing_vendor_library("/usr/bin/ld: cannot find -lm2: No such file or directory", with, what) == "");
  CHECK(missing_vendor_library("candidate.cpp:1: error: 'cblas_sscal' was not declared", with, what) == "");
  what.policy.vendor_libraries = false;
  CHECK(missing_vendor_library("/usr/bin/ld: cannot find -lopenblas: No such file or directory", with,
                               what) == "");
}
