#include "actors/messages/worker_addresses.hpp"
#include "actors/worker/build_queue.hpp"
#include "actors/worker/devices.hpp"
#include "runtime/core/device_info.hpp"
#include "runtime/core/evidence.hpp"
#include "runtime/core/measure_plan.hpp"
#include "runtime/fleet/machine_lock.hpp"
#include "tests/actors/worker_fixture.hpp"

#include <catch2/catch.hpp>

#include <algorithm>
#include <random>

using namespace ke;
using namespace ke::test;
using namespace std::chrono_literals;

namespace {

struct devices_fixture : worker_fixture {
  std::vector<assignment_done> done;
  std::vector<assignment_built> built;
  std::vector<assignment_stage> stages;
  std::vector<device_state_changed> states;
  std::uint64_t tests = 0;

  /// A self-test compiles its kernel and the reference, then both are judged.
  void test_ends(ending how) {
    while (compiling())
      compiled();
    evidence found;
    found.ending = how;
    found.reason = "bwrap: no";
    judged(found);
    if (how == ending::finished)
      disassembled("");
  }

  void launch(std::uint32_t build_slots = 2, std::vector<std::string> device_names = {"cpu:0"}) {
    add(addresses::link, system.spawn([this](caf::event_based_actor*) -> caf::behavior {
      return {
          [this](const assignment_done& d) { done.push_back(d); },
          [this](const assignments_lost& l) { // `link` fails all that the device was given
            done.push_back({nullptr, {failure_kind::device, l.why, true}, nullptr});
          },
          [this](const assignment_built& b) { built.push_back(b); },
          [this](const assignment_stage& s) { stages.push_back(s); },
          [this](const device_state_changed& s) { states.push_back(s); },
      };
    }));
    devices_options d;
    d.names = names;
    d.processes = &processes;
    for (const auto& name : device_names)
      d.devices.push_back({name, "cpu-cpp", "ok", {}});
    d.restarts = {.intensity = 3, .floor = 200ms, .jitter = 0};
    d.self_test = [this](const device_info& device) {
      return make_assignment(1000 + tests++, device.name)->steps;
    };
    add(addresses::devices, system.spawn(devices, d));
    add(addresses::builder, system.spawn(builder, builder_options{names, &processes, build_slots}));
  }
};

} // namespace

TEST_CASE("whatever comes in whatever order, a measurement has the machine alone and nobody waits for ever") {
  auto seed = GENERATE(range(1, 40));
  std::mt19937 random(static_cast<unsigned>(seed));
  machine_lock lock;
  std::map<std::string, bool> holding; // name -> alone
  std::map<std::string, bool> waiting;
  int next = 0;
  auto begin = [&](const std::vector<std::string>& who) {
    for (const auto& w : who) {
      REQUIRE(waiting.contains(w));
      holding[w] = waiting[w];
      waiting.erase(w);
    }
    auto alone = std::count_if(holding.begin(), holding.end(), [](auto& h) { return h.second; });
    REQUIRE(alone <= 1);
    if (alone == 1)
      REQUIRE(holding.size() == 1);
    REQUIRE(lock.holders() == holding.size());
    REQUIRE(lock.held_alone() == (alone == 1));
  };
  for (int n = 0; n < 300; ++n) {
    auto pick = random() % 3;
    if (pick == 0 || holding.empty()) {
      auto who = std::to_string(++next);
      bool alone = random() % 2 == 0;
      waiting[who] = alone;
      begin(lock.want(who, alone));
    } else if (pick == 1 && !waiting.empty()) {
      auto who = waiting.begin()->first;
      waiting.erase(who);
      begin(lock.release(who)); // no longer wants it
    } else {
      auto who = holding.begin()->first;
      holding.erase(who);
      begin(lock.release(who));
    }
  }
  while (!holding.empty()) {
    auto who = holding.begin()->first;
    holding.erase(who);
    begin(lock.release(who));
  }
  CHECK(waiting.empty());
}

TEST_CASE("a waiting measurement goes before builds that come later") {
  machine_lock lock;
  CHECK(lock.want("build 1", false) == std::vector<std::string>{"build 1"});
  CHECK(lock.want("cpu", true).empty());
  CHECK(lock.want("build 2", false).empty());
  CHECK(lock.release("build 1") == std::vector<std::string>{"cpu"});
  CHECK(lock.release("cpu") == std::vector<std::string>{"build 2"});
}

TEST_CASE_METHOD(
    devices_fixture,
    "with one slot the builder runs an assignment's compilers in turn, then hands it on to be measured") {
  launch(1);
  tell(addresses::builder, build_assignment{make_assignment(1)});
  tell(addresses::builder, build_assignment{make_assignment(2)});
  REQUIRE(processes.running.size() == 1); // one slot
  CHECK(stages.at(0).job == 1);
  compiled(); // the candidate
  compiled(); // the reference
  REQUIRE(built.size() == 1);
  CHECK(built[0].item->what.id == 1);
  CHECK_FALSE(built[0].item->steps->complete()); // it is to be measured
  CHECK(compiling());                            // the second assignment has the slot
  not_compiled("kernel.cpp:1: error: no such thing");
  REQUIRE(built.size() == 2);
  CHECK(built[1].item->steps->complete()); // nobody needs the reference now
  auto found = built[1].item->steps->finish();
  REQUIRE(found);
  CHECK(found->ending == ending::build_failed);
}

TEST_CASE_METHOD(devices_fixture,
                 "compilations of one assignment that don't need one another run together, and a "
                 "one that came later waits for a free slot") {
  launch(2);
  tell(addresses::builder, build_assignment{make_assignment(1)});
  tell(addresses::builder, build_assignment{make_assignment(2)});
  REQUIRE(processes.running.size() == 2); // candidate 1, and a slot that is kept for assignment 2
  compiled();
  compiled();
  while (compiling())
    compiled();
  REQUIRE(built.size() == 2);
  tell(addresses::builder, build_assignment{make_assignment(3)});
  REQUIRE(processes.running.size() == 2); // its candidate and its reference
  not_compiled("kernel.cpp:1: error: no such thing");
  CHECK(built.size() == 2); // the reference is still compiled: it is kept for the next candidate
  compiled();
  REQUIRE(built.size() == 3);
  CHECK(built[2].item->steps->complete());
}

TEST_CASE_METHOD(devices_fixture,
                 "a compile step that crashes fails its assignment as the machine's failure") {
  launch(1);
  processes.crash_next = true;
  tell(addresses::builder, build_assignment{make_assignment(1)});
  REQUIRE(done.size() == 1);
  CHECK(done[0].why.kind == failure_kind::internal);
  CHECK(done[0].why.retryable);
  tell(addresses::builder, build_assignment{make_assignment(2)});
  CHECK(compiling());
}

TEST_CASE_METHOD(devices_fixture, "a profiling tool that fails or crashes leaves the evidence as it was") {
  launch();
  evidence e;
  e.cases = 7;
  tell(addresses::devices, measure_assignment{built_work(1)});
  judged(e);
  not_compiled("objdump: no"); // the tool
  REQUIRE(done.size() == 1);
  CHECK(done[0].found->cases == 7);
  tell(addresses::devices, measure_assignment{built_work(2)});
  processes.crash_next = true;
  judged(e);
  REQUIRE(done.size() == 2);
  REQUIRE(done[1].found);
  CHECK(done[1].found->cases == 7);
  CHECK(states.empty());
}

TEST_CASE_METHOD(devices_fixture, "what looks closer at a right candidate runs job by job under the device's "
                                  "lease, and each job is told by kind and name") {
  launch();
  auto b = with();
  b.jobs.push_back(
      {"text", job_kind::transform, {"measure"}, {}, {"change", "{input}", "{output}"}, {}, 5, "text.ll"});
  b.jobs.push_back(
      {"copy", job_kind::build, {"text"}, "instrumented", {"compile", "{sources}", "{output}"}, {}, 5, {}});
  b.jobs.push_back(
      {"again", job_kind::transform, {"text"}, {}, {"change", "{input}", "{output}"}, {}, 5, "again.ll"});
  auto w = make_assignment(1);
  w->steps = std::make_shared<evaluation>(what(), "extern \"C\" void kernel() {}", b,
                                          device_info{"cpu:0", "cpu-cpp", "ok", {}}, measure_plan::eval,
                                          evaluation_options());
  tell(addresses::builder, build_assignment{w});
  compiled();
  compiled();
  REQUIRE(built.size() == 1);
  CHECK(processes.running.empty()); // a build that needs a transform is none of the builder's
  tell(addresses::devices, measure_assignment{w});
  evidence e;
  e.cases = 7;
  judged(e);
  disassembled("");
  REQUIRE(processes.running.size() == 1);
  CHECK(processes.running.front().spec.argv ==
        std::vector<std::string>{"change", "candidate.cpp", "text.ll"});
  compiled(); // leaves text.ll
  REQUIRE(processes.running.size() == 1);
  CHECK(processes.running.front().spec.argv ==
        std::vector<std::string>{"compile", "text.ll", "ke_shim.cpp", "copy.so"});
  not_compiled("no");
  REQUIRE(processes.running.size() == 1); // the other one that needed the text
  CHECK(processes.running.front().spec.argv == std::vector<std::string>{"change", "text.ll", "again.ll"});
  compiled();
  REQUIRE(done.size() == 1);
  CHECK(done[0].why.kind == failure_kind::none);
  CHECK(done[0].found->cases == 7);
  CHECK(done[0].found->ending == ending::finished);
  CHECK(done[0].found->findings.at("no_copy") == "no");
  std::vector<std::string> told;
  for (const auto& span : w->spans)
    told.push_back(span.name);
  for (auto name : {"build candidate", "build reference", "measure measure", "profile disassembly",
                    "transform text", "build copy", "transform again"})
    CHECK(std::count(told.begin(), told.end(), name) == 1);
}

TEST_CASE_METHOD(devices_fixture,
                 "an assignment that is cancelled while it is profiled leaves its device free") {
  launch();
  tell(addresses::devices, measure_assignment{built_work(1)});
  judged({});
  tell(addresses::devices, cancel_assignment{1});
  CHECK(processes.cancelled.size() == 1);
  tell(addresses::devices, measure_assignment{built_work(2)});
  judged({});
  disassembled("");
  REQUIRE(done.size() == 1);
  CHECK(done[0].item->what.id == 2);
}

TEST_CASE_METHOD(devices_fixture, "a measurement never overlaps a build") {
  launch(2);
  auto ready = built_work(1);
  tell(addresses::builder, build_assignment{make_assignment(2)});
  tell(addresses::devices, measure_assignment{ready});
  tell(addresses::builder, build_assignment{make_assignment(3)});
  REQUIRE(processes.running.size() ==
          2); // candidate and reference of 2; the measurement waits for them, and the build of 3 for that
  CHECK(compiling());
  compiled();
  compiled();
  REQUIRE(processes.running.size() == 1);
  CHECK_FALSE(compiling()); // the judge, alone
  evidence e;
  e.cases = 7;
  judged(e);
  disassembled("0000000000001100 <kernel>:\n    1100:\tret\n");
  REQUIRE(done.size() == 1);
  CHECK(done[0].found->cases == 7);
  CHECK(done[0].found->counters.at("insn.total") == 1);
  CHECK(compiling()); // the build of 3
}

TEST_CASE_METHOD(devices_fixture, "a cancelled assignment's compiler is killed and its slot is free") {
  launch(1);
  tell(addresses::builder, build_assignment{make_assignment(1)});
  tell(addresses::builder, build_assignment{make_assignment(2)});
  auto first = processes.running.front().id;
  tell(addresses::builder, cancel_assignment{1});
  CHECK(processes.cancelled == std::vector<std::uint64_t>{first});
  REQUIRE(processes.running.size() == 1);
  CHECK(compiling());
  compiled();
  compiled();
  REQUIRE(built.size() == 1);
  CHECK(built[0].item->what.id == 2);
}

TEST_CASE_METHOD(devices_fixture, "a cancelled assignment's judge is killed, and the next one is measured") {
  launch();
  tell(addresses::devices, measure_assignment{built_work(1)});
  tell(addresses::devices, measure_assignment{built_work(2)});
  tell(addresses::devices, measure_assignment{built_work(3)});
  auto first = processes.running.front().id;
  tell(addresses::devices, cancel_assignment{2}); // waits: never begins
  tell(addresses::devices, cancel_assignment{1});
  CHECK(processes.cancelled == std::vector<std::uint64_t>{first});
  REQUIRE(processes.running.size() == 1);
  judged({});
  disassembled("");
  REQUIRE(done.size() == 1);
  CHECK(done[0].item->what.id == 3);
  CHECK(processes.running.empty());
}

TEST_CASE_METHOD(devices_fixture,
                 "a device that falls over fails its assignment as the machine's failure and comes back") {
  launch();
  processes.crash_next = true;
  tell(addresses::devices, measure_assignment{built_work(1)});
  REQUIRE(done.size() == 1);
  CHECK(done[0].why.kind == failure_kind::device);
  CHECK(done[0].why.text.find("the device fell over") != std::string::npos);
  pass(200ms);
  tell(addresses::devices, measure_assignment{built_work(2)});
  REQUIRE(processes.running.size() == 1);
  judged({});
  disassembled("");
  REQUIRE(done.size() == 2);
  CHECK(done[1].found);
  CHECK(states.empty());
}

TEST_CASE_METHOD(devices_fixture, "a device that falls over too often is quarantined and tried again later; "
                                  "the worker and its other device live on") {
  launch(1, {"cpu:0", "cpu:1"});
  for (std::uint64_t id = 1; id <= 4; ++id) {
    processes.crash_next = true;
    tell(addresses::devices, measure_assignment{built_work(id)});
    if (id < 4)
      pass(1s);
  }
  REQUIRE(states.size() == 1);
  CHECK(states[0].device == "cpu:0");
  CHECK(states[0].state == "quarantined");
  tell(addresses::devices, measure_assignment{built_work(5)});
  REQUIRE(done.size() == 5);
  CHECK(done[4].why.text == "the device is quarantined");
  tell(addresses::devices, measure_assignment{built_work(6, "cpu:1")});
  REQUIRE(processes.running.size() == 1);
  judged({});
  disassembled("");
  CHECK(done[5].found);
  pass(5min);
  REQUIRE(states.size() == 2);
  CHECK(states[1].state == "ok");
  tell(addresses::devices, measure_assignment{built_work(7)});
  judged({});
  disassembled("");
  CHECK(done[6].found);
}

TEST_CASE_METHOD(devices_fixture, "a device under suspicion is out of service until it passes a self-test, "
                                  "which is tried later and later") {
  launch();
  tell(addresses::devices, suspect_device{"cpu:0", "the sandbox can't be set up"});
  REQUIRE(states.size() == 1);
  CHECK(states[0].state == "quarantined");
  CHECK(states[0].reason == "the sandbox can't be set up");
  tell(addresses::devices, suspect_device{"cpu:0", "again"}); // known
  CHECK(tests == 1);
  tell(addresses::devices, measure_assignment{built_work(1)}); // was on its way
  test_ends(ending::harness_error);
  REQUIRE(states.size() == 2);
  CHECK(states[1].state == "quarantined");
  CHECK(states[1].reason == "a kernel that is known to be right ended as harness_error: bwrap: no");
  REQUIRE(done.size() == 1); // for another machine
  CHECK(done[0].why.kind == failure_kind::device);
  pass(9'900ms);
  CHECK(tests == 1);
  pass(200ms);
  CHECK(tests == 2);
  test_ends(ending::build_failed); // of a kernel that is right
  pass(19'900ms);
  CHECK(tests == 2);
  pass(200ms);
  REQUIRE(tests == 3);
  CHECK(states.back().state == "quarantined");
  test_ends(ending::finished);
  CHECK(states.back().state == "ok");
  tell(addresses::devices, measure_assignment{built_work(2)});
  judged({});
  disassembled("");
  REQUIRE(done.size() == 2);
  CHECK(done[1].found);
}

TEST_CASE_METHOD(devices_fixture, "a device that passes its self-test at once goes on with what it had") {
  launch();
  tell(addresses::devices, suspect_device{"cpu:0", "a candidate that no machine can judge"});
  tell(addresses::devices, measure_assignment{built_work(1)});
  test_ends(ending::finished);
  REQUIRE(states.size() == 2);
  CHECK(states[1].state == "ok");
  judged({});
  disassembled("");
  REQUIRE(done.size() == 1);
  CHECK(done[0].found);
  pass(10min);
  CHECK(tests == 1);
}

TEST_CASE_METHOD(devices_fixture, "a self-test waits for the measurement that runs, and builds wait for it") {
  launch();
  tell(addresses::devices, measure_assignment{built_work(1)});
  tell(addresses::devices, suspect_device{"cpu:0", "why"});
  CHECK(tests == 0);
  tell(addresses::builder, build_assignment{make_assignment(2)});
  judged({});
  disassembled("");
  CHECK(tests == 1);
  REQUIRE(processes.running.size() == 1);
  test_ends(ending::finished);
  CHECK(compiling()); // of assignment 2
  REQUIRE(processes.running.size() == 2);
  while (compiling())
    compiled();
  CHECK(built.size() == 1);
}
