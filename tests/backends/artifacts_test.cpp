// What tools printed, kept with the evidence of who is looked at closely.
#include "backends/evaluation/backend.hpp"
#include "backends/evaluation/evaluate.hpp"
#include "backends/evaluation/known_objects.hpp"
#include "backends/evidence/artifact_texts.hpp"
#include "backends/evidence/profile_result.hpp"
#include "backends/evidence/profile_task.hpp"
#include "runtime/core/codec.hpp"
#include "runtime/core/evidence.hpp"
#include "runtime/core/measure_plan.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/process/process_service.hpp"
#include "tests/backends/problems.hpp"
#include "tests/places.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <set>
#include <unistd.h>

using namespace ke;
using Catch::Matchers::Contains;
using Catch::Matchers::EndsWith;
namespace fs = std::filesystem;

namespace {

/// A judge that found each candidate twice as fast as the reference, and a profiler that leaves one table where one is
/// asked for. Compilers and objdump are the machine's.
class quick_judge : public process_port {
public:
  std::uint64_t run(process_spec spec, std::function<void(process_exit)> done) override {
    const auto& program = spec.argv.front();
    if (!program.ends_with("ke-judge") && !program.ends_with("ke-profiler"))
      return inner_.run(std::move(spec), std::move(done));
    process_exit how;
    how.code = 0;
    how.out = program.ends_with("ke-judge") ? pack(measured()) : profiled(spec.input);
    done(how);
    return 0;
  }
  void cancel(std::uint64_t id) override { inner_.cancel(id); }
  void terminate(std::uint64_t id) override { inner_.terminate(id); }

private:
  static evidence measured() {
    evidence e;
    e.cases = 3;
    e.timed_calls = e.timed_calls_checked = 120;
    for (int launch = 0; launch < 6; ++launch) {
      launch_samples s;
      for (int n = 0; n < 20; ++n) {
        s.reference_ns.push_back(100e3 * (1 + 0.001 * (n % 5)));
        s.candidate_ns.push_back(s.reference_ns.back() / 2);
      }
      e.launches.push_back(std::move(s));
    }
    return e;
  }
  static std::string profiled(const std::string& input) {
    auto task = unpack<profile_task>(input);
    REQUIRE(task);
    if (task->keeps) {
      auto folder = fs::path{task->run.scratch} / raw_folder;
      fs::create_directories(folder);
      std::ofstream{folder / "callgrind.txt"} << "summary: 42\n";
      std::ofstream{folder / "callgrind.out"} << "fn=(1) kernel\n";
    }
    return pack(profile_result{{{"cg.Ir", 42}}, {}, {}});
  }
  process_service inner_;
};

struct artifact_bench {
  quick_judge processes;
  backend cpu;
  evaluate_options options;
  problem what = ke_test::softmax();
  fs::path folder = fs::temp_directory_path() / ("ke-artifacts-test-" + std::to_string(getpid()));

  artifact_bench() {
    auto all = load_backends(fs::path{test::source_dir()} / "backends", {});
    REQUIRE(all);
    cpu = *find_backend(*all, "cpu-cpp");
    std::erase_if(cpu.jobs, [](const step_spec& j) { // the loops have tests of their own
      static const std::set<std::string> of_loops{"ir", "ticks", "stamped", "loops", "shares"};
      return of_loops.contains(j.name);
    });
    what.workloads.resize(1);
    options.judge = fs::path{test::binary_dir()} / "ke-judge";
    options.driver = fs::path{test::binary_dir()} / "ke-driver";
    options.cache = folder / "cache";
  }
  ~artifact_bench() {
    std::error_code ignored;
    fs::remove_all(folder, ignored);
  }
  evidence judged(measure_plan plan, double above = 0) {
    options.closer_above = above;
    auto found = evaluate(
        what, "#include <cstdint>\nextern \"C\" void kernel(const float*, float*, int64_t, int64_t) {}\n",
        cpu, plan, options, processes);
    if (!found)
      FAIL(found.error().text);
    return *found;
  }
};

} // namespace

TEST_CASE("a claim and a new best keep what tools printed, a ranking below the best keeps nothing") {
  artifact_bench b;
  auto below = b.judged(measure_plan::rank, 2.5);
  CHECK(below.artifacts.empty());
  CHECK(below.counters.contains("insn.total")); // objdump ran all the same
  CHECK(below.counters.contains("insn.total") ==
        b.judged(measure_plan::rank, 2.5).counters.contains("insn.total"));
  CHECK(b.judged(measure_plan::rank).artifacts.empty());
  for (const auto& closely :
       {b.judged(measure_plan::rank, 1.5), b.judged(measure_plan::claim),
        b.judged(measure_plan::claim)}) { // the tools' results are known the second time
    REQUIRE(closely.artifacts.contains("kernel.asm"));
    CHECK_THAT(closely.artifacts.at("kernel.asm"), Contains("<kernel>:") && Contains("ret"));
    CHECK(closely.artifacts.at("callgrind.txt") == "summary: 42\n");
    CHECK_FALSE(closely.artifacts.contains("callgrind.out")); // the candidate could write there
    CHECK(closely.counters.at("cg.Ir") == 42);
    CHECK(within_bounds(closely.artifacts));
  }
}

TEST_CASE("evidence that stands for other nodes of the same code has no artifacts") {
  evidence e;
  e.cases = 3;
  e.timed = false;
  e.artifacts = {{"kernel.asm", "ret\n"}};
  job first, second;
  first.node = {1, 0, 1};
  second.node = {1, 0, 2};
  known_objects known;
  known.learn("object", first, ke_test::softmax(), e);
  auto again = known.find("object", second);
  REQUIRE(again);
  CHECK(again->artifacts.empty());
}

TEST_CASE("a long text is cut at the end of a line, and says so") {
  std::map<std::string, std::string> kept;
  std::string line(99, 'x'), text;
  line += '\n';
  while (text.size() <= most_artifact_bytes)
    text += line;
  keep_artifact(kept, "long.txt", text);
  const auto& cut = kept.at("long.txt");
  CHECK(cut.size() <= most_artifact_bytes);
  CHECK(cut.size() > most_artifact_bytes - 300);
  auto last = cut.rfind('[');
  CHECK(last % line.size() == 0);
  CHECK_THAT(cut, EndsWith("[cut here: all of it has " + std::to_string(text.size()) + " bytes]\n"));
  std::string characters = "x";
  while (characters.size() <= most_artifact_bytes)
    characters += "\xc3\xa4"; // one line, of characters of two bytes
  keep_artifact(kept, "line.txt", characters);
  auto end = kept.at("line.txt").find('\n');
  CHECK(kept.at("line.txt").substr(end - 2, 2) == "\xc3\xa4");
}

TEST_CASE("all texts together are bounded, and so is their number") {
  std::map<std::string, std::string> kept;
  std::string text(most_artifact_bytes / 2, '\n');
  for (int i = 0; i < 20; ++i)
    keep_artifact(kept, std::to_string(i), text);
  std::size_t all = 0;
  for (const auto& [name, t] : kept)
    all += t.size();
  CHECK(all <= most_artifacts_bytes);
  CHECK(kept.size() == most_artifacts_bytes / text.size());
  CHECK(within_bounds(kept));
  std::map<std::string, std::string> many;
  for (int i = 0; i < 100; ++i)
    keep_artifact(many, std::to_string(i), "x");
  CHECK(many.size() == most_artifacts);
  keep_artifact(many, "0", "another");
  CHECK(many.at("0") == "x");
  std::map<std::string, std::string> empty;
  keep_artifact(empty, "nothing.txt", "");
  CHECK(empty.empty());
}

TEST_CASE("what a worker sends beyond the bounds is none that was kept") {
  CHECK_FALSE(within_bounds({{"long", std::string(most_artifact_bytes + 1, 'x')}}));
  CHECK_FALSE(within_bounds({{std::string(101, 'x'), "text"}}));
  std::map<std::string, std::string> all;
  for (int i = 0; i < 5; ++i)
    all[std::to_string(i)] = std::string(most_artifact_bytes, 'x');
  CHECK_FALSE(within_bounds(all));
}

TEST_CASE("evidence without artifacts has the bytes of a version that did not know them") {
  evidence e;
  e.reason = "why";
  auto before = pack(e);
  e.artifacts["a"] = "b";
  CHECK(pack(e).size() > before.size());
  auto read = unpack<evidence>(before);
  REQUIRE(read);
  CHECK(read->artifacts.empty());
  CHECK(static_cast<unsigned char>(before[0]) == 0xdc); // an array
  CHECK(static_cast<unsigned char>(before[2]) == std::tuple_size_v<decltype(fields(e))> - 1);
}
