// A candidate may be its parent's assembly or LLVM IR, changed: relinked without the front end, judged like
// any other.
#include "backends/evaluation/evaluate.hpp"
#include "backends/verdict/verdict_rules.hpp"
#include "runtime/core/evidence.hpp"
#include "runtime/core/measure_plan.hpp"
#include "runtime/core/verdict.hpp"
#include "runtime/core/verdict_state.hpp"
#include "runtime/process/process_service.hpp"
#include "runtime/process/run_and_wait.hpp"
#include "tests/backends/problems.hpp"
#include "tests/places.hpp"

#include <catch2/catch.hpp>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <unistd.h>

using namespace ke;
namespace fs = std::filesystem;

namespace {

struct relinking {
  process_service processes;
  backend cpu;
  fs::path folder = fs::temp_directory_path() / ("ke-edit-replay-" + std::to_string(getpid()));

  relinking() {
    auto all = load_backends(fs::path{ke::test::source_dir()} / "backends", {});
    REQUIRE(all);
    cpu = *find_backend(*all, "cpu-cpp");
    fs::create_directories(folder);
  }
  ~relinking() {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
  }

  verdict judge(const std::string& source) {
    evaluate_options o;
    o.scratch = folder / "runs";
    o.judge = fs::path{ke::test::binary_dir()} / "ke-judge";
    o.driver = fs::path{ke::test::binary_dir()} / "ke-driver";
    o.timed = false;
    auto p = ke_test::elementwise();
    auto found = evaluate(p, source, cpu, measure_plan::rank, o, processes);
    if (!found)
      FAIL(found.error().text);
    return verdict_of(*found, p, measure_plan::rank);
  }

  /// What the compiler makes of a source, as text.
  std::string lowered(const std::string& source, std::vector<std::string> command) {
    std::ofstream{folder / "parent.cpp"} << source;
    process_spec spec;
    spec.argv = std::move(command);
    for (const auto* word : {"-std=c++20", "-O2", "-fPIC", "-S", "parent.cpp", "-o", "lowered"})
      spec.argv.emplace_back(word);
    spec.env = {{"PATH", "/usr/bin:/bin"}, {"LANG", "C"}};
    spec.directory = folder.string();
    auto how = run_and_wait(processes, std::move(spec));
    INFO(how.err);
    REQUIRE(how.code == 0);
    std::ifstream in{folder / "lowered"};
    return {std::istreambuf_iterator<char>{in}, {}};
  }
};

/// A parent with the headers that kernels use, so that a front end has something to do.
std::string parent() {
  return "#include <algorithm>\n#include <numeric>\n#include <string>\n#include <vector>\n" +
         ke_test::elementwise().reference;
}

void replace(std::string& text, const std::string& from, const std::string& to) {
  auto at = text.find(from);
  REQUIRE(at != std::string::npos);
  text.replace(at, from.size(), to);
}

} // namespace

TEST_CASE("a candidate may be assembly, and is built without the front end") {
  relinking r;
  auto whole = r.judge(parent());
  REQUIRE(whole.state == verdict_state::correct);
  auto text = r.lowered(parent(), {"g++"});
  REQUIRE(level_of(r.cpu, text));
  CHECK(level_of(r.cpu, text)->name == "assembly");
  auto again = r.judge("# edited by hand\n" + text);
  INFO(again.reason << "\n" << again.log);
  CHECK(again.state == verdict_state::correct);
  CHECK(again.build_s < whole.build_s);
  CHECK(level_of(r.cpu, parent()) == nullptr);
}

TEST_CASE("edited assembly that is wrong, or none, is judged as such") {
  relinking r;
  auto text = r.lowered(parent(), {"g++"});
  auto wrong = text;
  replace(wrong, "\nkernel:\n", "\nkernel:\n\tret\n");
  CHECK(r.judge(wrong).state == verdict_state::incorrect);
  replace(text, "\nkernel:\n", "\nkernel:\n\tmovz rax, rbx, rcx, rdx\n");
  auto broken = r.judge(text);
  CHECK(broken.state == verdict_state::build_failed);
  CHECK(broken.reason.find("candidate.s") != std::string::npos);
}

TEST_CASE("assembly obeys the rules about symbols, too") {
  relinking r;
  auto text = r.lowered(parent(), {"g++"});
  replace(text, "\nkernel:\n", "\nkernel:\n\tcall\tfork@PLT\n");
  CHECK(r.judge(text).state == verdict_state::policy_violation);
}

TEST_CASE("a candidate may be LLVM IR") {
  relinking r;
  auto text = r.lowered(parent(), {"clang++-19", "-emit-llvm"});
  REQUIRE(level_of(r.cpu, text));
  CHECK(level_of(r.cpu, text)->name == "llvm-ir");
  auto v = r.judge(text);
  INFO(v.reason << "\n" << v.log);
  CHECK(v.state == verdict_state::correct);
}
