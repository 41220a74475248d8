#include "backends/evaluation/backend.hpp"
#include "config/problem_file.hpp"
#include "runtime/core/codec.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/solution.hpp"
#include "runtime/core/verdict.hpp"
#include "runtime/core/verdict_state.hpp"
#include "tests/actors/small_store.hpp"
#include "tests/interface/command_line.hpp"
#include "tests/places.hpp"

#include <nlohmann/json.hpp>

#include <catch2/catch.hpp>

#include <fstream>
#include <iterator>

using namespace ke;
using json = nlohmann::json;

namespace {

/// A store with solutions of the softmax that ships.
struct known_store {
  temp_dir dir;
  std::unique_ptr<store_service> store = open_store(dir.path());
  std::string file = std::string{ke::test::source_dir()} + "/config/problems/softmax";
  problem softmax = load_problem(file).problem;
  std::uint32_t nodes = 0;

  void solved(const problem& what, double low, bool claimed, const std::string& device = "cpu:here",
              const std::string& backend = "cpu-cpp", std::vector<workload_timing> on = {}) {
    store_batch b;
    solution_row r;
    r.place = place_of(what, backend, device);
    r.problem = what.name;
    r.problem_digest = b.blob(pack(what));
    r.source_digest = b.blob("// worth " + std::to_string(low));
    r.score = r.low = low;
    r.speedup = low + 0.25;
    r.high = low + 0.5;
    r.claimed = claimed;
    r.store = store->id();
    r.campaign = "earlier";
    r.node = {1, 0, ++nodes};
    if (!on.empty()) {
      verdict v;
      v.state = verdict_state::correct;
      v.timing = timing_summary{};
      v.timing->workloads = std::move(on);
      r.verdict_digest = digest_of("verdict " + std::to_string(nodes));
      b.put(table::verdicts, r.verdict_digest, pack(v));
    }
    b.put(table::solutions, key_of(r), pack(r));
    REQUIRE(ke::write(*store, std::move(b)));
  }
  command_result ask(std::vector<std::string> more = {}) {
    std::vector<std::string> line{"best-known", file, "--store", dir.path()};
    line.insert(line.end(), more.begin(), more.end());
    return run_command(line);
  }
};

problem larger(problem p, std::int64_t times) {
  for (auto& w : p.workloads)
    for (auto& [dim, size] : w.dims)
      size *= times;
  return p;
}

} // namespace

TEST_CASE(
    "best-known tells the nearest proven solutions, with what they were worth and where they are from") {
  known_store s;
  s.solved(larger(s.softmax, 8), 9, true);
  s.solved(s.softmax, 2, true);
  s.solved(s.softmax, 3, true, "cpu:there");
  s.solved(s.softmax, 50, false); // the search's own luck
  auto r = s.ask({"--json"});
  INFO(r.out << r.err);
  REQUIRE(r.code == 0);
  auto j = json::parse(r.out);
  REQUIRE(j.size() == 3);
  CHECK(j[0]["score"] == 3);
  CHECK(j[0]["same_problem"] == true);
  CHECK(j[0]["proven"] == true);
  CHECK(j[1]["score"] == 2);
  CHECK(j[2]["score"] == 9);
  CHECK(j[2]["distance"]["shape"] == 3);
  CHECK(json::parse(s.ask({"--json", "--device", "cpu:here"}).out)[0]["score"] == 2);
  auto text = s.ask({"--all"}).out;
  CHECK(text.find("1  3.25x [3.00, 3.50] over the reference; this problem") != std::string::npos);
  CHECK(text.find("50.25x [50.00, 50.50] over the reference, NOT PROVEN") != std::string::npos);
  CHECK(text.find("a neighbour: each extent 8.0 times apart (mean)") != std::string::npos);
}

TEST_CASE("best-known writes the source, and without a proven solution says so with exit code 1") {
  known_store s;
  auto none = s.ask();
  CHECK(none.code == 1);
  CHECK(none.out.find("no proven solution for") == 0);
  s.solved(s.softmax, 7, false);
  none = s.ask();
  CHECK(none.code == 1);
  CHECK(none.out.find("(--all shows them)") != std::string::npos);
  s.solved(s.softmax, 2, true);
  CHECK(s.ask({"--source", "-"}).out == "// worth " + std::to_string(2.0));
  auto to = s.dir / "kernel.cpp";
  CHECK(s.ask({"--source", to}).code == 0);
  std::ifstream in{to, std::ios::binary};
  CHECK(std::string{std::istreambuf_iterator<char>{in}, {}} == "// worth " + std::to_string(2.0));
}

TEST_CASE("best-known says what of an answer is not what was asked for: device and shape and problem") {
  known_store s;
  auto changed = s.softmax;
  changed.reference += "\n// another one\n";
  changed.policy.threads += 1;
  s.solved(s.softmax, 5, true, cpu_facts().name);
  s.solved(s.softmax, 4, true, "cpu:there");
  s.solved(changed, 3, true, cpu_facts().name);
  s.solved(larger(s.softmax, 4), 9, true, cpu_facts().name);
  auto j = json::parse(s.ask({"--json"}).out);
  REQUIRE(j.size() == 4);
  CHECK(j[0]["score"] == 5);
  CHECK(j[0]["same_problem"] == true);
  CHECK(j[0]["differs_in"] == json::array());
  CHECK(j[0]["distance"]["other_device"] == false);
  CHECK(j[1]["score"] == 4);
  CHECK(j[1]["distance"]["other_device"] == true);
  CHECK(j[2]["score"] == 3);
  CHECK(j[2]["same_problem"] == false);
  CHECK(j[2]["differs_in"] == json::array({"reference", "policy"}));
  CHECK(j[3]["differs_in"] == json::array({"workloads"}));
  auto text = s.ask().out;
  CHECK(text.find("on cpu:there (another device)\n") != std::string::npos);
  CHECK(text.find("on " + cpu_facts().name + "\n") != std::string::npos);
  CHECK(text.find("this shape; its problem differs from this one in reference, policy\n") !=
        std::string::npos);
  CHECK(text.find("a neighbour: each extent 4.0 times apart (mean); its problem differs from this one in "
                  "workloads\n") != std::string::npos);
  auto there = json::parse(s.ask({"--json", "--device", "cpu:there"}).out);
  REQUIRE(there.size() == 1);
  CHECK(there[0]["distance"]["other_device"] == false);
}

TEST_CASE("best-known looks for one workload's shape, and names those that there are") {
  known_store s;
  const auto& workloads = s.softmax.workloads;
  REQUIRE(workloads.size() > 1);
  auto alone = s.softmax;
  alone.workloads = {workloads.back()};
  alone.workloads[0].held_out = false;
  s.solved(alone, 2, true);
  s.solved(s.softmax, 3, true);
  auto j = json::parse(s.ask({"--json", "--workload", workloads.back().name}).out);
  REQUIRE(j.size() == 2);
  CHECK(j[0]["score"] == 2);
  CHECK(j[0]["distance"]["shape"] == 0);
  auto wrong = s.ask({"--workload", "nowhere"});
  CHECK(wrong.code == 2);
  CHECK(wrong.err.find("has no workload 'nowhere'; it has " + workloads.front().name) != std::string::npos);
}

TEST_CASE("best-known answers for a workload with the best there and not with the best on the mean") {
  known_store s;
  const auto& name = s.softmax.workloads.back().name;
  auto on = [&](double low) { return std::vector<workload_timing>{{name, low + 0.1, low, low + 0.2}}; };
  s.solved(s.softmax, 4, true, "cpu:here", "cpu-cpp", on(1.5));
  s.solved(s.softmax, 3, true, "cpu:here", "cpu-cpp", on(6));
  s.solved(s.softmax, 5, true); // nobody knows what it was worth there
  s.solved(s.softmax, 2, false, "cpu:here", "cpu-cpp", on(9));
  CHECK(json::parse(s.ask({"--json"}).out)[0]["score"] == 5);
  auto j = json::parse(s.ask({"--json", "--workload", name}).out);
  REQUIRE(j.size() == 3);
  CHECK(j[0]["score"] == 3);
  CHECK(j[0]["workload"]["name"] == name);
  CHECK(j[0]["workload"]["ci95"][0] == 6);
  CHECK(j[1]["score"] == 4);
  CHECK(j[2]["score"] == 5);
  CHECK(j[2]["workload"].is_null());
  CHECK(json::parse(s.ask({"--json", "--workload", name, "--top", "1"}).out)[0]["score"] == 3);
  CHECK(json::parse(s.ask({"--json", "--workload", name, "--all"}).out)[2]["score"] == 2);
  auto text = s.ask({"--workload", name}).out;
  CHECK(text.find("; " + name + " of this problem: 6.10x [6.00, 6.20]") != std::string::npos);
}
