#include "backends/evaluation/evaluate.hpp"
#include "backends/verdict/verdict_rules.hpp"
#include "runtime/core/evidence.hpp"
#include "runtime/core/measure_plan.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/verdict.hpp"
#include "runtime/core/verdict_state.hpp"
#include "runtime/process/process_service.hpp"
#include "tests/backends/problems.hpp"
#include "tests/backends/too_noisy.hpp"
#include "tests/places.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <sys/stat.h>
#include <unistd.h>

using namespace ke;

namespace {

/// The cache of all tests of this process: it spares the reference's builds.
struct shared_cache {
  std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("ke-evaluation-cache-" + std::to_string(getpid()));
  ~shared_cache() {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  }
};
const shared_cache cache;

/// One private folder and one process service.
struct bench {
  process_service processes;
  backend cpu;
  evaluate_options options;
  std::filesystem::path folder;

  bench() {
    auto all = load_backends(std::filesystem::path{ke::test::source_dir()} / "backends", {});
    REQUIRE(all);
    auto found = find_backend(*all, "cpu-cpp");
    REQUIRE(found);
    cpu = *found;
    folder = std::filesystem::temp_directory_path() / ("ke-evaluation-test-" + std::to_string(getpid()));
    options.scratch = folder / "runs";
    options.cache = cache.folder;
    options.judge = std::filesystem::path{ke::test::binary_dir()} / "ke-judge";
    options.driver = std::filesystem::path{ke::test::binary_dir()} / "ke-driver";
    options.limits.call_s = 3;
    options.limits.memory_bytes = 1ull << 30;
    options.budget_s = 0.6;
  }
  ~bench() {
    std::error_code ignored;
    std::filesystem::remove_all(folder, ignored);
  }
  verdict judge(const problem& p, const std::string& source, bool timed = false,
                measure_plan plan = measure_plan::rank) {
    auto o = options;
    o.timed = timed;
    auto found = evaluate(p, source, cpu, plan, o, processes);
    if (!found)
      FAIL(found.error().text);
    auto v = verdict_of(*found, p, plan);
    INFO(verdict_json(v));
    // Nothing outlives a judgement: the private folders are gone.
    CHECK((!std::filesystem::exists(o.scratch) || std::filesystem::is_empty(o.scratch)));
    return v;
  }
  /// With timing. `noisy` is the right answer on a machine that is busy at this moment; a test of what the
  /// timing says asks again.
  verdict judge_timed(const problem& p, const std::string& source) {
    auto v = judge(p, source, true);
    for (int again = 0; again < 5 && v.state == verdict_state::noisy; ++again)
      v = judge(p, source, true);
    return v;
  }
};

const std::string head = "#include <cmath>\n#include <cstdint>\n#include <cstdlib>\n#include <unistd.h>\n"
                         "extern \"C\" void kernel(const float* x, float* y, double s, int64_t n) {\n";
const std::string honest_body =
    "for (int64_t i = 0; i < n; ++i) y[i] = std::sin(x[i]) * (float)s + 1.0f;\n}\n";

/// The elementwise problem with this text before the honest loop.
verdict judged(const std::string& before, bool honest = true) {
  bench b;
  return b.judge(ke_test::elementwise(), head + before + (honest ? honest_body : "}\n"));
}

} // namespace

TEST_CASE("an honest copy of the reference is correct when nothing is timed") {
  auto v = judged("");
  INFO(verdict_json(v));
  CHECK(v.state == verdict_state::correct);
  CHECK(v.decision == timing_decision::none);
  CHECK_FALSE(v.score);
  CHECK(v.cases >= 10);
  CHECK(v.provenance.at("truth") == "the reference in wider arithmetic");
}

TEST_CASE("Bug: under a umask that hides files from others no source could be compiled") {
  bench b;
  std::filesystem::create_directories(b.options.scratch);
  struct narrow {
    mode_t before = ::umask(077);
    ~narrow() { ::umask(before); }
  } hidden;
  b.options.cache.clear(); // all is compiled
  auto v = b.judge(ke_test::elementwise(), head + honest_body);
  INFO(verdict_json(v));
  CHECK(v.state == verdict_state::correct);
}

TEST_CASE("a kernel that does a quarter of the work is faster and one that does it four times is slower",
          "[timing]") {
  bench b;
  auto p = ke_test::softmax();
  std::string quick = R"(#include <algorithm>
#include <cmath>
#include <cstdint>
extern "C" void kernel(const float* x, float* y, int64_t m, int64_t n) {
  for (int64_t i = 0; i < m; ++i) {
    float largest = x[i * n], sum = 0.0f;
    for (int64_t j = 1; j < n; ++j) largest = std::max(largest, x[i * n + j]);
    for (int64_t j = 0; j < n; ++j) sum += y[i * n + j] = std::exp(x[i * n + j] - largest);
    float inverse = 1.0f / sum;
    for (int64_t j = 0; j < n; ++j) y[i * n + j] *= inverse;
  }
}
)";
  auto slow_reference = p;
  slow_reference.reference = R"(#include <algorithm>
#include <cmath>
#include <cstdint>
extern "C" void kernel(const float* x, float* y, int64_t m, int64_t n) {
  for (int64_t i = 0; i < m; ++i)
    for (volatile int k = 0; k < 4; k = k + 1) {
      float largest = x[i * n], sum = 0.0f;
      for (int64_t j = 1; j < n; ++j) largest = std::max(largest, x[i * n + j]);
      for (int64_t j = 0; j < n; ++j) sum += std::exp(x[i * n + j] - largest);
      for (int64_t j = 0; j < n; ++j) y[i * n + j] = std::exp(x[i * n + j] - largest) / sum;
    }
}
)";
  auto fast = b.judge_timed(slow_reference, quick);
  INFO(verdict_json(fast));
  if (ke_test::too_noisy(fast))
    return;
  CHECK(fast.state == verdict_state::correct);
  CHECK(fast.decision == timing_decision::faster);
  REQUIRE(fast.score);
  CHECK(*fast.score > 1.3);
  CHECK(fast.timed_calls > 0);
  CHECK(fast.timed_calls == fast.timed_calls_checked);
  REQUIRE(fast.timing);
  CHECK(fast.timing->workloads.size() == 2); // the held-out one is not for ranking
  auto slow = b.judge_timed(p, slow_reference.reference);
  INFO(verdict_json(slow));
  if (ke_test::too_noisy(slow))
    return;
  CHECK(slow.state == verdict_state::correct);
  CHECK(slow.decision == timing_decision::slower);
}

TEST_CASE("wrong values are incorrect and the first of them is kept") {
  auto v = judged("for (int64_t i = 0; i < n; ++i) y[i] = std::sin(x[i]) * (float)s + 1.0001f;\n", false);
  CHECK(v.state == verdict_state::incorrect);
  REQUIRE(v.first_failure);
  CHECK(v.first_failure->tensor == "y");
  CHECK(v.first_failure->index.size() == 1);
  CHECK(*v.score == 0);
}

TEST_CASE("a kernel without a tail is caught by a secret shape") {
  auto v = judged("n = n / 8 * 8;\n");
  CHECK(v.state == verdict_state::incorrect);
}

TEST_CASE("arithmetic in half the width is incorrect") {
  auto v = judged(
      "for (int64_t i = 0; i < n; ++i) y[i] = (float)(_Float16)(std::sin(x[i]) * (float)s + 1.0f);\n", false);
  CHECK(v.state == verdict_state::incorrect);
}

TEST_CASE("a crash names its signal") {
  auto v = judged("*(volatile int*)8 = 1;\n");
  CHECK(v.state == verdict_state::crashed);
  CHECK(v.reason.find("signal 11") != std::string::npos);
}

TEST_CASE("an endless loop is a timeout") {
  auto v = judged("for (volatile int i = 0;;) i = i + 1;\n");
  CHECK(v.state == verdict_state::timeout);
}

TEST_CASE("leaving the process in the middle of a call is a crash") {
  auto v = judged("_exit(0);\n", false);
  CHECK(v.state == verdict_state::crashed);
  CHECK(v.reason.find("exit code 0") != std::string::npos);
}

TEST_CASE("outputs that an earlier call left behind do not pass") {
  auto v = judged("static int calls = 0; if (calls++) return;\n");
  CHECK(v.state == verdict_state::incorrect);
}

TEST_CASE("writing an input is a matter of integrity") {
  auto v = judged("const_cast<float*>(x)[n / 2] += 1.0f;\n");
  CHECK(v.state == verdict_state::cheating_suspected);
  REQUIRE(v.flags.size() == 1);
  CHECK(v.flags[0].name == "inputs_changed");
}

TEST_CASE("writing beside an output is incorrect and flagged") {
  auto v = judged("y[n] = 3.0f;\n");
  CHECK(v.state == verdict_state::incorrect);
  REQUIRE_FALSE(v.flags.empty());
  CHECK(v.flags[0].name == "red_zone");
}

TEST_CASE("work left to a thread that finishes later does not count") {
  bench b;
  auto v = b.judge(ke_test::elementwise(), R"(#include <cmath>
#include <cstdint>
#include <thread>
extern "C" void kernel(const float* x, float* y, double s, int64_t n) {
  std::thread([=] { 
    std::this_thread::sleep_for(std::chrono::milliseconds{300});
    for (int64_t i = 0; i < n; ++i) y[i] = std::sin(x[i]) * (float)s + 1.0f; }).detach();
}
)");
  CHECK(v.state == verdict_state::incorrect);
}

TEST_CASE("results remembered by address do not pass") {
  auto v = judged("static const float* seen = nullptr; if (seen == x) return; seen = x;\n");
  // Wrong where it meets an address again, right on the same input where it does not.
  CHECK((v.state == verdict_state::incorrect || v.state == verdict_state::nondeterministic));
  CHECK(*v.score == 0);
}

TEST_CASE("right and wrong on the same input is nondeterministic") {
  auto v = judged("static unsigned calls = 0; if (++calls % 3 == 0) s += 1;\n");
  CHECK(v.state == verdict_state::nondeterministic);
}

TEST_CASE("a clock patched inside the process changes no time", "[timing]") {
  bench b;
  auto p = ke_test::elementwise();
  // Exports the clock so that code loaded with it may bind to it, and does the work three times.
  auto v = b.judge_timed(p, R"(#include <cmath>
#include <cstdint>
#include <time.h>
extern "C" int clock_gettime(clockid_t, struct timespec* t) noexcept { t->tv_sec = 1; t->tv_nsec = 1; return 0; }
extern "C" void kernel(const float* x, float* y, double s, int64_t n) {
  for (volatile int k = 0; k < 3; k = k + 1)
    for (int64_t i = 0; i < n; ++i) y[i] = std::sin(x[i]) * (float)s + 1.0f;
}
)");
  INFO(verdict_json(v));
  if (v.state == verdict_state::correct) {
    CHECK(v.decision == timing_decision::slower);
    CHECK(v.timing->speedup < 0.6);
  } else if (!ke_test::too_noisy(v)) {
    CHECK(v.state == verdict_state::cheating_suspected);
  }
}

TEST_CASE("a fork is against the rules, also one that is hidden from the linker") {
  CHECK(judged("while (n > 0) fork();\n").state == verdict_state::policy_violation);
  auto v =
      judged("long r; asm volatile(\"syscall\" : \"=a\"(r) : \"a\"(57L) : \"rcx\", \"r11\", \"memory\"); "
             "if (r == 0) for (;;) pause();\n");
  INFO(verdict_json(v));
  CHECK(v.state == verdict_state::policy_violation);
  CHECK(v.reason.find("system call") != std::string::npos);
}

TEST_CASE("memory without end is a resource matter") {
  auto v = judged("for (;;) { volatile char* p = (volatile char*)operator new(64 << 20); for (int i = 0; i < "
                  "(64 << 20); i += 4096) p[i] = 1; }\n",
                  false);
  INFO(verdict_json(v));
  CHECK(v.state == verdict_state::resource_exceeded);
}

namespace {

/// A raw system call, which no check of symbols sees.
const std::string raw_call =
    "#include <cstdio>\n#include <sys/syscall.h>\n"
    "static long raw(long number, long a = 0, long b = 0, long c = 0, long d = 0) {\n"
    "  long result; register long r10 asm(\"r10\") = d;\n"
    "  asm volatile(\"syscall\" : \"=a\"(result) : \"a\"(number), \"D\"(a), \"S\"(b), \"d\"(c), \"r\"(r10)"
    " : \"rcx\", \"r11\", \"memory\");\n  return result;\n}\n";

verdict flooded(const std::string& by) {
  bench b;
  return b.judge(ke_test::elementwise(), raw_call + head + "static bool once = false; if (!once) {" + by +
                                             "} once = true;\n" + honest_body);
}

} // namespace

TEST_CASE("a kernel that fills sockets by the thousand is against the rules and holds none") {
  auto v =
      flooded("int ends[2]; for (int i = 0; i < 2500; ++i) { raw(SYS_socketpair, 1, 1, 0, (long)ends); }");
  INFO(verdict_json(v));
  CHECK(v.state == verdict_state::policy_violation);
  CHECK(v.reason.find("sockets") != std::string::npos);
}

TEST_CASE("a kernel that takes every descriptor is a resource matter") {
  auto v = flooded("int ends[2]; while (raw(SYS_pipe2, (long)ends, 0) == 0) { }");
  INFO(verdict_json(v));
  CHECK(v.state == verdict_state::resource_exceeded);
  CHECK(v.reason.find("64 open descriptors") != std::string::npos);
}

TEST_CASE("a kernel that makes 300,000 empty files is a resource matter") {
  auto place = GENERATE(as<std::string>{}, "/tmp/scratch", "/dev/shm");
  auto v = flooded("char name[64]; for (int i = 0; i < 300000; ++i) { std::snprintf(name, sizeof name, \"" +
                   place + "/%d\", i); raw(SYS_close, raw(SYS_open, (long)name, 0101, 0600)); }");
  INFO(verdict_json(v));
  CHECK(v.state == verdict_state::resource_exceeded);
  CHECK(v.reason.find("4096 files in memory") != std::string::npos);
}

TEST_CASE(
    "a kernel that goes on asking for memory when there is none is a resource matter and not a timeout") {
  auto v =
      judged("for (;;) { auto* p = (volatile char*)std::malloc(200); if (p) p[0] = p[199] = 1; }\n", false);
  INFO(verdict_json(v));
  CHECK(v.state == verdict_state::resource_exceeded);
}

TEST_CASE("a hang in an order of several calls is answered after the limit of one") {
  bench b;
  b.options.limits.call_s = 1;
  auto p = ke_test::elementwise();
  p.workloads[0].dims["N"] = 500; // six inputs in an order
  auto v = b.judge(p, head + "for (volatile int i = 0;;) i = i + 1;\n}\n");
  INFO(verdict_json(v));
  CHECK(v.state == verdict_state::timeout);
  CHECK(v.reason.find("within 1.0") != std::string::npos);
}

TEST_CASE("text without end does not keep the judge from its deadline") {
  auto v = judged("static char text[65536]; for (;;) { (void)!write(1, text, sizeof text); }\n", false);
  INFO(verdict_json(v));
  CHECK(v.state == verdict_state::timeout);
}

TEST_CASE("code that was not there when the object was loaded is against the rules") {
  bench b;
  auto v = b.judge(ke_test::elementwise(), "#include <sys/mman.h>\n" + head +
                                               "mmap(nullptr, 4096, PROT_READ | PROT_EXEC, MAP_PRIVATE | "
                                               "MAP_ANONYMOUS, -1, 0);\n" +
                                               honest_body);
  INFO(verdict_json(v));
  CHECK(v.state == verdict_state::policy_violation);
}

TEST_CASE("a floating-point mode that is left changed is put back and recorded") {
  bench b;
  auto v = b.judge(ke_test::elementwise(),
                   "#include <cfenv>\n" + head + "std::fesetround(FE_TONEAREST);\n" +
                       "for (int64_t i = 0; i < n; ++i) y[i] = std::sin(x[i]) * (float)s + "
                       "1.0f;\nstd::fesetround(FE_UPWARD);\n}\n");
  INFO(verdict_json(v));
  CHECK(v.state == verdict_state::correct);
  CHECK(v.provenance.at("left_changed").find("floating-point mode") != std::string::npos);
  CHECK(judged("").provenance.count("left_changed") == 0);
}

TEST_CASE("a reference that keeps state between its calls is the problem's fault") {
  bench b;
  auto p = ke_test::elementwise();
  auto candidate = p.reference;
  p.reference = head +
                "static int calls = 0; ++calls;\nfor (int64_t i = 0; i < n; ++i) y[i] = std::sin(x[i]) * "
                "(float)s + (float)(calls % 5);\n}\n";
  auto v = b.judge(p, candidate);
  INFO(verdict_json(v));
  CHECK(v.state == verdict_state::unfit_problem);
  CHECK(v.reason.find("keeps state") != std::string::npos);
}

TEST_CASE("a build error gives the compiler's first line") {
  bench b;
  auto v = b.judge(
      ke_test::elementwise(),
      "extern \"C\" void kernel(const float* x, float* y, double s, int64_t n) { y[0] = undeclared; }\n");
  CHECK(v.state == verdict_state::build_failed);
  CHECK(v.reason.find("error:") != std::string::npos);
  CHECK(v.reason.find("candidate.cpp:1") != std::string::npos);
}

TEST_CASE("a missing kernel names the signature that is expected") {
  bench b;
  auto v = b.judge(ke_test::elementwise(), "void kernel() {}\n");
  CHECK(v.state == verdict_state::build_failed);
  CHECK(v.reason.find("extern \"C\" void kernel(const float* x, float* y, double scale, int64_t N)") !=
        std::string::npos);
}

TEST_CASE("a problem whose outputs are always zero is unfit") {
  bench b;
  auto p = ke_test::elementwise();
  p.reference =
      "#include <cstdint>\nextern \"C\" void kernel(const float* x, float* y, double s, int64_t n) {\n"
      "  for (int64_t i = 0; i < n; ++i) y[i] = 0.0f * (x[i] * 0.0f);\n}\n";
  auto v = b.judge(p, p.reference);
  INFO(verdict_json(v));
  CHECK(v.state == verdict_state::unfit_problem);
  CHECK_FALSE(v.score);
}

TEST_CASE("a reference that never ends is the problem's fault, not the candidate's") {
  bench b;
  auto p = ke_test::elementwise();
  auto candidate = p.reference;
  p.reference = "#include <cstdint>\nextern \"C\" void kernel(const float*, float*, double, int64_t) {\n"
                "  for (volatile int i = 0;;) i = i + 1;\n}\n";
  b.options.limits.run_s = 4;
  b.options.budget_s = 0.5;
  auto v = b.judge(p, candidate);
  INFO(verdict_json(v));
  CHECK(v.state == verdict_state::unfit_problem);
}

TEST_CASE("a second build of the same source needs no compiler") {
  bench b;
  auto p = ke_test::elementwise();
  CHECK(b.judge(p, p.reference).state == verdict_state::correct);
  auto again = b.judge(p, p.reference);
  CHECK(again.state == verdict_state::correct);
  CHECK(again.build_s == 0);
}
