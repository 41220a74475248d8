#include "actors/fleet/local_worker.hpp"
#include "actors/messages/addresses.hpp"
#include "tests/actors/worker_fixture.hpp"

#include <catch2/catch.hpp>

using namespace ke;
using namespace ke::test;
using namespace std::chrono_literals;

namespace {

struct local_fixture : worker_fixture {
  std::vector<failure> missing;

  local_fixture() {
    local_worker_options o;
    o.processes = &processes;
    o.argv = {"ke-runtime", "worker", "--lifeline"};
    o.restarts = {.intensity = 3, .period = 60s, .floor = 100ms, .jitter = 0};
    o.on_missing = [this](failure why) { missing.push_back(std::move(why)); };
    add(addresses::local_worker, system.spawn(local_worker, o));
  }
  void child_ends(int code, std::string said = {}) {
    process_exit how;
    how.code = code;
    how.err = std::move(said);
    processes.end_first(std::move(how));
    settle();
  }
};

} // namespace

TEST_CASE_METHOD(local_fixture,
                 "the local worker is started with a lifeline, and again after each end, later and "
                 "later") {
  REQUIRE(processes.running.size() == 1);
  CHECK(processes.running.front().spec.argv[1] == "worker");
  CHECK(processes.running.front().spec.keep_input_open);
  child_ends(4);
  CHECK(processes.running.empty());
  pass(100ms);
  CHECK(processes.running.size() == 1);
  child_ends(4);
  pass(100ms);
  CHECK(processes.running.empty());
  pass(100ms);
  CHECK(processes.running.size() == 1);
  child_ends(4);
  pass(400ms);
  REQUIRE(processes.running.size() == 1);
  child_ends(4); // too often: once in a while
  pass(50s);
  CHECK(processes.running.empty());
  pass(10s);
  CHECK(processes.running.size() == 1);
  CHECK(missing.empty());
}

TEST_CASE_METHOD(local_fixture,
                 "a local worker that does not attach in time is ended and started again; one that did is "
                 "left alone") {
  auto says = [this](std::string_view text) {
    processes.running.front().spec.on_output(text);
    settle();
  };
  REQUIRE(processes.running.size() == 1);
  says("sandbox\npea");
  says("ks\n");
  pass(179s);
  CHECK(processes.cancelled.empty());
  pass(1s);
  CHECK(processes.cancelled.size() == 1);
  pass(100ms);
  REQUIRE(processes.running.size() == 1);
  says("sandbox\npeaks\ndevices\ndial\nattached\n");
  pass(1h);
  CHECK(processes.cancelled.size() == 1);
}

TEST_CASE_METHOD(local_fixture, "a local worker that lacks something says what") {
  child_ends(3, "ke-runtime worker: no backend can work here");
  REQUIRE(missing.size() == 1);
  CHECK(missing[0].kind == failure_kind::missing);
  CHECK(missing[0].text == "ke-runtime worker: no backend can work here");
}

TEST_CASE_METHOD(local_fixture,
                 "the end of its actor ends the local worker, in order or after three seconds by "
                 "force") {
  auto stubborn = GENERATE(true, false);
  caf::anon_send_exit(actors.back(), caf::exit_reason::user_shutdown);
  settle();
  REQUIRE(processes.running.size() == 1);
  CHECK(processes.cancelled.empty()); // it was asked to, and removes its folders
  if (!stubborn)
    child_ends(0);
  pass(3s);
  CHECK(processes.cancelled.size() == (stubborn ? 1 : 0));
  CHECK(processes.running.empty());
  pass(1h);
  CHECK(processes.running.empty()); // not started again
}
