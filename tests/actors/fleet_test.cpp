#include "runtime/core/evidence.hpp"
#include "runtime/core/job.hpp"
#include "runtime/core/job_result.hpp"
#include "runtime/core/node_key.hpp"
#include "tests/actors/fleet_fixture.hpp"

using namespace ke;
using namespace std::chrono_literals;

namespace {

using fleet_fixture = test::fleet_fixture;

} // namespace

TEST_CASE_METHOD(fleet_fixture, "jobs are granted up to a worker's credit, the rest when a result frees it") {
  attach("a", 2);
  for (std::uint64_t id = 1; id <= 3; ++id)
    submit(id);
  REQUIRE(grants("a").size() == 2);
  CHECK(grants("a")[0].job.id == 1);
  CHECK(grants("a")[0].job.attempt == 1);
  CHECK(grants("a")[0].job.epoch == 5);
  CHECK(grants("a")[0].device == "cpu:test");
  result("a", 1, 1);
  REQUIRE(done.size() == 1);
  CHECK(done[0].worker == "a");
  CHECK(acks("a") == 0); // not before the verdict's commit
  done[0].acknowledge();
  CHECK(acks("a") == 1);
  CHECK(grants("a").size() == 3);
}

TEST_CASE_METHOD(fleet_fixture, "a job waits for a worker with a fitting device") {
  submit(1);
  submit(2, "gpu:*");
  attach("a", 4);
  REQUIRE(grants("a").size() == 1);
  CHECK(grants("a")[0].job.id == 1);
}

TEST_CASE_METHOD(fleet_fixture,
                 "beats keep a lease; a worker that falls silent loses it, and the job goes to another one") {
  attach("a");
  submit(1);
  for (int n = 0; n < 10; ++n) {
    pass(5s);
    beat("a", {lease("a", 1, 1)});
  }
  attach("b");
  CHECK(grants("b").empty());
  CHECK(stages.size() == 10);
  pass(13s);
  REQUIRE(grants("b").size() == 1);
  CHECK(grants("b")[0].job.attempt == 2);
  result("a", 1, 1); // late
  CHECK(done.empty());
  CHECK(acks("a") == 1); // so that the worker forgets it
  beat("a", {lease("a", 1, 1)});
  REQUIRE(revokes("a").size() == 1);
  result("b", 1, 2);
  REQUIRE(done.size() == 1);
  CHECK(done[0].worker == "b");
  result("b", 1, 2); // told twice
  CHECK(done.size() == 1);
  CHECK(acks("b") == 1);
}

TEST_CASE_METHOD(fleet_fixture, "a result of another epoch is acknowledged and never applied") {
  attach("a");
  submit(1);
  result("a", 1, 1, {}, 4);
  CHECK(done.empty());
  CHECK(acks("a") == 1);
  result("a", 1, 1);
  CHECK(done.size() == 1);
}

TEST_CASE_METHOD(fleet_fixture, "a candidate that cost three workers is poisoned, and nobody gets it again") {
  submit(1);
  for (const char* peer : {"a", "b", "c"}) {
    attach(peer);
    REQUIRE(grants(peer).size() == 1);
    tell(peer_lost{peer, {failure_kind::worker_lost, "three beats missed"}});
  }
  REQUIRE(poisoned.size() == 1);
  CHECK(poisoned[0].id == 1);
  CHECK(poisoned[0].why == "three workers were lost while they evaluated it, the last: three beats missed");
  attach("d");
  CHECK(grants("d").empty());
}

TEST_CASE_METHOD(fleet_fixture, "a worker that says bye costs its jobs nothing") {
  submit(1);
  for (const char* peer : {"a", "b", "c", "d"}) {
    attach(peer);
    REQUIRE(grants(peer).size() == 1);
    say(peer, frame_kind::bye, wire::ready_body{});
  }
  CHECK(poisoned.empty());
}

TEST_CASE_METHOD(fleet_fixture, "a failed evaluation is done elsewhere if somebody else can do it") {
  auto machine = GENERATE(true, false);
  attach("a");
  submit(1);
  attach("b");
  if (machine) {
    result("a", 1, 1, {failure_kind::device, "fell over", true});
  } else {
    job_result r;
    r.found.ending = ending::harness_error;
    give("a", r, 1, 1);
  }
  REQUIRE(done.size() == 1);
  submit(1); // as the evaluator does
  CHECK(grants("a").size() == 1);
  REQUIRE(grants("b").size() == 1);
  CHECK(grants("b")[0].job.attempt == 2);
}

TEST_CASE_METHOD(fleet_fixture, "a declined job goes elsewhere, or back if there is nobody else") {
  attach("a");
  submit(1);
  attach("b");
  say("a", frame_kind::decline, wire::decline_body{1, 1, "no compiler"});
  REQUIRE(grants("b").size() == 1);
  say("b", frame_kind::bye, wire::ready_body{});
  CHECK(grants("a").size() == 2);
}

TEST_CASE_METHOD(
    fleet_fixture,
    "a worker that attaches again keeps its jobs that are still wanted and is told of the others") {
  submit(1);
  tell(evaluations_wanted{1, {{node_key{1, 0, 1}, 0}}, false});
  attach(
      "a", 2,
      {lease("a", 1, 3, wire::lease_stage::measuring, 4), lease("a", 9, 1, wire::lease_stage::building, 4)});
  REQUIRE(revokes("a").size() == 1);
  CHECK(revokes("a")[0].lease.job == 9);
  CHECK(grants("a").empty()); // it has it
  pass(5s);
  beat("a", {lease("a", 1, 3, wire::lease_stage::measuring, 4)});
  pass(9s);
  result("a", 1, 3, {}, 4);
  REQUIRE(done.size() == 1);
  CHECK(done[0].found->attempt == 3);
}

TEST_CASE_METHOD(fleet_fixture,
                 "a job that is cancelled is revoked where it runs and forgotten where it waits") {
  attach("a");
  submit(1);
  submit(2);
  tell(cancel_job{1});
  REQUIRE(revokes("a").size() == 1);
  CHECK(revokes("a")[0].lease.job == 1);
  REQUIRE(grants("a").size() == 2);
  CHECK(grants("a")[1].job.id == 2);
  result("a", 1, 1);
  CHECK(done.empty());
  CHECK(acks("a") == 1);
}

TEST_CASE_METHOD(fleet_fixture, "a device that its worker calls quarantined gets no jobs until it is well") {
  attach("a");
  beat("a", {}, {{"cpu:test", "quarantined", "it fell over"}});
  CHECK(capacities.back().slots == 0);
  CHECK(capacities.back().why == "device cpu:test of worker a is quarantined: it fell over");
  submit(1);
  CHECK(grants("a").empty());
  std::string told;
  auto quarantined = [&] {
    tell(workers_request{[&](std::string json) { told = std::move(json); }});
    return nlohmann::json::parse(told)[0]["quarantined"];
  };
  CHECK(quarantined() == nlohmann::json{{{"device", "cpu:test"}, {"reason", "it fell over"}}});
  beat("a", {}, {{"cpu:test", "ok", ""}});
  CHECK(quarantined().empty());
  CHECK(grants("a").size() == 1);
  CHECK(capacities.back().slots == 1);
  CHECK(capacities.back().why.empty());
  say("a", frame_kind::bye, wire::ready_body{});
  CHECK(capacities.back().why == "no worker offers the backend cpu-cpp any more");
}

TEST_CASE_METHOD(fleet_fixture, "a draining worker finishes what it has and gets nothing more") {
  attach("a");
  submit(1);
  say("a", frame_kind::drain, wire::ready_body{});
  CHECK(capacities.back().slots == 0);
  submit(2);
  result("a", 1, 1);
  CHECK(done.size() == 1);
  CHECK(grants("a").size() == 1);
  std::string workers;
  tell(workers_request{[&](std::string json) { workers = std::move(json); }});
  CHECK(nlohmann::json::parse(workers)[0]["state"] == "draining");
  attach("b");
  CHECK(grants("b").size() == 1);
}

TEST_CASE_METHOD(fleet_fixture,
                 "a worker that breaks the protocol is treated as lost; the others are not touched") {
  attach("a");
  submit(1);
  attach("b");
  tell(frame_in{frame{"a", frame_kind::beat, 0, 0, 5, "no beat"}});
  REQUIRE(grants("b").size() == 1);
  CHECK(capacities.back().slots == 1);
}

TEST_CASE_METHOD(fleet_fixture,
                 "a worker gets the content of its jobs from the store, and no other content") {
  store_batch batch;
  auto digest = batch.blob("void kernel() {}");
  auto secret = batch.blob("the settings of a campaign");
  store.write(std::move(batch));
  attach("a");
  auto j = std::make_shared<job>();
  j->id = 1;
  j->node = {1, 0, 1};
  j->backend = "cpu-cpp";
  j->device = "*";
  j->source_digest = digest;
  tell(submit_job{std::move(j)});
  say("a", frame_kind::want, wire::want_body{digest});
  say("a", frame_kind::want, wire::want_body{secret});
  REQUIRE(wire_out->blobs.size() == 1);
  CHECK(wire_out->blobs[0].peer == "a");
  CHECK(wire_out->blobs[0].bytes == "void kernel() {}");
}

TEST_CASE_METHOD(fleet_fixture, "a worker that a restarted fleet does not know is asked to say hello") {
  auto asked = [this](const std::string& peer) {
    auto all = wire_out->all<wire::refuse_body>(frame_kind::refuse, peer);
    return std::count_if(all.begin(), all.end(), [](const auto& r) { return r.retry; });
  };
  attach("a");
  submit(1);
  CHECK(asked("a") == 0);
  caf::anon_send_exit(actors.back(), caf::exit_reason::kill);
  settle();
  start_fleet();
  beat("a", {lease("a", 1, 1)}); // before it has its transport nobody can be asked
  CHECK(asked("a") == 0);
  tell(transport_is{wire_out});
  beat("a", {lease("a", 1, 1)});
  CHECK(asked("a") == 1);
  say("b", frame_kind::bye, wire::ready_body{0, 0});
  CHECK(asked("b") == 0);
  attach("a", 1, {lease("a", 1, 1)});
  submit(1);
  result("a", 1, 1);
  CHECK(done.size() == 1);
  CHECK(asked("a") == 1);
}
