#include "backends/evaluation/compiler_crash.hpp"
#include "backends/evaluation/kernel_builder.hpp"
#include "backends/evaluation/problem_lint.hpp"
#include "runtime/core/job_limits.hpp"
#include "runtime/core/verdict_state.hpp"
#include "tests/backends/evaluation.hpp"
#include "tests/backends/problems.hpp"

using namespace ke;

namespace {

const std::string marker = "// the compiler does not survive this line\n";

/// A compiler of real processes: `program` (looked up in PATH) behind a script that ends as a crashed g++
/// does when one of the sources holds the marker.
std::vector<std::string> crashing(const std::string& program, const std::string& sources = "candidate.cpp") {
  return {"/bin/sh",
          "-c",
          "if grep -q 'does not survive' " + sources +
              " 2>/dev/null; then\n"
              "  echo 'candidate.cpp:3:7: internal compiler error: Segmentation fault' >&2\n"
              "  echo 'Please submit a full bug report, with preprocessed source.' >&2\n"
              "  exit 4\nfi\nexec " +
              program + " \"$@\"",
          "fake",
          "{flags}",
          "-I{include}",
          "{sources}",
          "-o",
          "{output}"};
}

struct two_compilers : ke_test::checker {
  two_compilers() {
    options.cache.clear(); // what a script builds is no other test's
    cpu.build = crashing("g++");
    cpu.second_build = {"/usr/bin/env", "g++", "{flags}", "-I{include}", "{sources}", "-o", "{output}"};
    cpu.second_flags = cpu.flags;
  }
};

process_exit ended(int code, const std::string& err, int signal = 0) {
  process_exit e;
  e.code = code;
  e.err = err;
  e.signal = signal;
  return e;
}

} // namespace

TEST_CASE("a compiler's own crash is tried by the second compiler before it counts") {
  two_compilers c;
  auto p = ke_test::elementwise();
  auto v = c.judge(p, marker + p.reference);
  INFO(verdict_json(v));
  CHECK(v.state == verdict_state::correct);
  CHECK(v.provenance.at("candidate_compiler") ==
        "env, as sh crashed: candidate.cpp:3:7: internal compiler error: Segmentation fault");
  CHECK(v.provenance.count("reference_compiler") == 0); // it is compared with what all others are

  auto wrong = c.judge(p, marker + "#include <cstdint>\nextern \"C\" void kernel(const float*, float* y, "
                                   "double, int64_t n) {\n  for (int64_t i = 0; i < n; ++i) y[i] = 0;\n}\n");
  CHECK(wrong.state == verdict_state::incorrect);

  auto usual = c.judge(p, p.reference);
  CHECK(usual.state == verdict_state::correct);
  CHECK(usual.provenance.count("candidate_compiler") == 0);
}

TEST_CASE("what two compilers crash on is a build that failed, and says what each of them said") {
  two_compilers c;
  c.cpu.second_build = crashing("g++");
  c.cpu.second_build[0] = "/bin/bash";
  auto p = ke_test::elementwise();
  auto v = c.judge(p, marker + p.reference);
  INFO(verdict_json(v));
  CHECK(v.state == verdict_state::build_failed);
  CHECK(v.reason == "sh crashed (candidate.cpp:3:7: internal compiler error: Segmentation fault), and bash "
                    "does not build it either: candidate.cpp:3:7: internal compiler error: Segmentation "
                    "fault");
}

TEST_CASE("a source that a compiler refuses is not asked a second time, and who lacks a second compiler is "
          "told") {
  two_compilers c;
  auto p = ke_test::elementwise();
  auto v = c.judge(p, "#error candidate.cpp: internal compiler error: so it says\n");
  INFO(verdict_json(v));
  CHECK(v.state == verdict_state::build_failed);
  CHECK(v.provenance.count("candidate_compiler") == 0);
  c.cpu.second_build[0] = "no-such-compiler";
  c.cpu.second_hint = "install it";
  auto alone = c.judge(p, marker + p.reference);
  CHECK(alone.state == verdict_state::build_failed);
  CHECK(alone.reason.find("internal compiler error") != std::string::npos);
  CHECK(alone.reason.find("; no second compiler is here to try it: install it") != std::string::npos);
}

TEST_CASE("a reference that makes the first compiler crash is built by the second, for lint, too") {
  two_compilers c;
  c.cpu.build = crashing("g++", "reference.cpp");
  auto p = ke_test::elementwise();
  auto honest = p.reference;
  p.reference = marker + p.reference;
  auto v = c.judge(p, honest);
  INFO(verdict_json(v));
  CHECK(v.state == verdict_state::correct);
  CHECK(v.provenance.at("reference_compiler").find("env, as sh crashed: ") == 0);
  CHECK(v.provenance.at("truth_compiler").find("env, as sh crashed: ") == 0);
  CHECK(v.provenance.at("truth") == "the reference in wider arithmetic");
  auto report = lint_problem(p, c.cpu, c.options, c.processes);
  REQUIRE(report);
  CHECK(report->reasons.empty());
  CHECK(report->truth == "the reference in wider arithmetic");
}

TEST_CASE("the second compiler of cpu-cpp builds what the first one crashes on") {
  ke_test::checker c;
  if (!has_second_compiler(c.cpu, "")) {
    WARN("clang++-19 is not installed");
    return;
  }
  c.options.cache.clear();
  c.cpu.build = crashing("g++");
  auto p = ke_test::softmax();
  auto v = c.judge(p, marker + p.reference);
  INFO(verdict_json(v));
  CHECK(v.state == verdict_state::correct);
  CHECK(v.provenance.at("candidate_compiler").find("clang++-19, as sh crashed: ") == 0);
}

TEST_CASE("what counts as a compiler's own crash") {
  job_limits limits;
  auto crash = [&](const process_exit& e) { return compiler_crash(e, limits, {}); };
  CHECK(crash(ended(0, "a.cpp:1:1: warning: internal compiler error: x")).empty());
  CHECK(crash(ended(1, "candidate.cpp:2:2: error: #error a: internal compiler error: b\n")).empty());
  CHECK(crash(ended(1, "candidate.cpp:2:2: error: expected ';'\n")).empty());
  CHECK(crash(ended(1, "virtual memory exhausted: Cannot allocate memory\n")).empty());
  CHECK(crash(ended(1, "cc1plus: out of memory allocating 65536 bytes\n", 6)).empty());
  CHECK(crash(ended(4, "g++: fatal error: File size limit exceeded signal terminated program cc1plus\n"))
            .empty());
  CHECK(crash(ended(1, "during RTL pass: expand\na.cpp:4:1: internal compiler error: in f, at g.cc:7\n")) ==
        "a.cpp:4:1: internal compiler error: in f, at g.cc:7");
  CHECK(crash(ended(1, "g++: fatal error: Killed signal terminated program cc1plus\ncompilation "
                       "terminated.\n")) == "g++: fatal error: Killed signal terminated program cc1plus");
  CHECK(
      crash(ended(1, "Stack dump:\nclang++-19: error: clang frontend command failed with exit code 139 (use "
                     "-v to see invocation)\n"))
          .find("clang frontend command failed") != std::string::npos);
  CHECK(crash(ended(139, "")) == "killed by signal 11");
  CHECK(crash(ended(-1, "", 11)) == "killed by signal 11");
  auto late = ended(-1, "", 9);
  late.timed_out = true;
  CHECK(crash(late).find("did not end within the limit") != std::string::npos);
  auto cancelled = ended(-1, "", 9);
  cancelled.cancelled = true;
  CHECK(crash(cancelled).empty());
}
