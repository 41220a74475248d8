#include "actors/messages/addresses.hpp"
#include "runtime/core/job.hpp"
#include "runtime/core/job_result.hpp"
#include "runtime/core/node_key.hpp"
#include "tests/actors/fleet_fixture.hpp"

using namespace ke;
using namespace std::chrono_literals;

namespace {

struct fleet_trust : test::fleet_fixture {
  /// A coordinator that was started again: another epoch, and nobody has asked for anything yet.
  void restart() {
    caf::anon_send_exit(actors.back(), caf::exit_reason::kill);
    settle();
    ++epoch;
    start_fleet();
    tell(transport_is{wire_out});
    tell(watch_capacity{addresses::evaluator});
    wire_out->sent.clear();
  }
  void wants(std::vector<std::uint32_t> nodes, bool over = false) {
    evaluations_wanted w{1, {}, over};
    for (auto n : nodes)
      w.open.emplace_back(node_key{1, 0, n}, 0);
    tell(std::move(w));
  }
};

} // namespace

TEST_CASE_METHOD(fleet_trust, "a result of another store with the same numbers is not taken") {
  attach("a");
  submit(1);
  REQUIRE(grants("a").size() == 1);
  auto own = std::exchange(key, std::string(32, 'o'));
  result("a", 1, 1); // sealed by another store
  key = own;
  auto name = std::exchange(store_id, "store two"); // a copy of this one that got a new id
  result("a", 1, 1);
  store_id = name;
  CHECK(done.empty());
  CHECK(acks("a") == 0); // it is for somebody else: the worker keeps it
  result("a", 1, 1);
  CHECK(done.size() == 1);
}

TEST_CASE_METHOD(fleet_trust, "a worker can't answer a job that another one holds") {
  attach("a");
  attach("thief", 0);
  submit(1);
  REQUIRE(grants("a").size() == 1);
  job_result r;
  r.id = 1, r.attempt = 1, r.epoch = 5, r.store = store_id;
  say("thief", frame_kind::result, r); // without a warrant
  r.warrant = grants("a")[0].job.warrant;
  say("thief", frame_kind::result, r); // with the other's, overheard
  CHECK(done.empty());
  say("thief", frame_kind::decline, wire::decline_body{1, 1, "not mine to decline"});
  CHECK(grants("a").size() == 1);
  result("a", 1, 1);
  REQUIRE(done.size() == 1);
  CHECK(done[0].worker == "a");
}

TEST_CASE_METHOD(fleet_trust, "a hello adopts nothing that was never granted, whatever attempt it names") {
  submit(1);
  auto attempt = GENERATE(1u, 7u, 0xfffffffeu, 0xffffffffu);
  attach("a", 0, {{1, attempt, 42, wire::lease_stage::measuring, {}}}, {{1, attempt, 5, {}, "forged"}});
  job_result r;
  r.id = 1, r.attempt = attempt, r.epoch = 42;
  say("a", frame_kind::result, r);
  CHECK(done.empty());
  attach("b");
  REQUIRE(grants("b").size() == 1);
  CHECK(grants("b")[0].job.attempt == 1);
  result("b", 1, 1);
  CHECK(done.size() == 1);
}

TEST_CASE_METHOD(fleet_trust,
                 "what a worker does while its coordinator is started again is adopted, not begun again") {
  restart();
  auto mine = lease("a", 1, 2, wire::lease_stage::measuring);
  attach("a", 1, {mine}); // before any campaign is loaded
  CHECK(revokes("a").empty());
  wants({1, 2});
  pass(5s);
  beat("a", {mine});
  CHECK(revokes("a").empty());
  submit(1);
  submit(2);
  CHECK(grants("a").empty()); // it has the first in hand, and no room for the second
  pass(5s);
  beat("a", {mine});
  result("a", 1, 2);
  REQUIRE(done.size() == 1);
  CHECK(done[0].found->attempt == 2);
  REQUIRE(grants("a").size() == 1);
  CHECK(grants("a")[0].job.id == 2);
}

TEST_CASE_METHOD(fleet_trust,
                 "a result that waited for its coordinator is acknowledged after the commit, not before") {
  restart();
  attach("a", 1, {}, {lease("a", 1, 1)});
  result("a", 1, 1); // its campaign has not been loaded
  CHECK(acks("a") == 0);
  CHECK(done.empty());
  wants({1});
  CHECK(acks("a") == 0);
  submit(1);
  CHECK(grants("a").empty());
  REQUIRE(done.size() == 1);
  CHECK(done[0].worker == "a");
  CHECK(acks("a") == 0);
  done[0].acknowledge();
  CHECK(acks("a") == 1);
}

TEST_CASE_METHOD(fleet_trust, "what no campaign wants any more is revoked, and acknowledged if it is done") {
  restart();
  attach("a", 2, {lease("a", 1, 1)}, {lease("a", 2, 1)});
  result("a", 2, 1);
  CHECK(revokes("a").empty());
  wants({});
  REQUIRE(revokes("a").size() == 1);
  CHECK(revokes("a")[0].lease.job == 1);
  CHECK(acks("a") == 1);
  attach("b", 1, {lease("b", 3, 1)}, {lease("b", 4, 1)}); // later than the campaign's word
  CHECK(revokes("b").size() == 1);
  result("b", 4, 1);
  CHECK(acks("b") == 1);
  CHECK(done.empty());
}

TEST_CASE_METHOD(fleet_trust, "a worker that brings work and then falls silent leaves it to others") {
  restart();
  attach("a", 1, {lease("a", 1, 1)});
  tell(peer_lost{"a", {failure_kind::worker_lost, "three beats missed"}});
  wants({1});
  submit(1);
  attach("b");
  CHECK(grants("b").size() == 1);
}

TEST_CASE_METHOD(fleet_trust,
                 "beats alone keep no job for ever: past its deadline it goes to another worker") {
  attach("a");
  submit(1);
  attach("b");
  auto deadline = std::chrono::milliseconds{grants("a").at(0).deadline_ms};
  CHECK(deadline > 60s);
  for (auto at = 0ms; at < deadline; at += 5s) {
    CHECK(grants("b").empty());
    pass(5s);
    beat("a", {lease("a", 1, 1)});
  }
  pass(15s); // the worker itself may give up first
  CHECK(grants("b").size() == 1);
}

TEST_CASE_METHOD(fleet_trust, "no lease ends and no candidate is poisoned while the owner is suspended") {
  attach("a");
  submit(1);
  for (int n = 0; n < 3; ++n) {
    jump(14s);
    beat("a", {lease("a", 1, 1)});
    pass(3s);
    beat("a", {lease("a", 1, 1)});
  }
  CHECK(grants("a").size() == 1);
  CHECK(poisoned.empty());
  CHECK(revokes("a").empty());
  result("a", 1, 1);
  CHECK(done.size() == 1);
}

TEST_CASE_METHOD(
    fleet_trust,
    "a worker that needs its time to attach again to an owner that was suspended keeps its work") {
  attach("a");
  submit(1);
  jump(14s);
  pass(12s); // a handshake on a dead connection, and the next try
  attach("a", 1, {lease("a", 1, 1)});
  CHECK(grants("a").size() == 1);
  CHECK(revokes("a").empty());
  result("a", 1, 1);
  CHECK(done.size() == 1);
}

TEST_CASE_METHOD(fleet_trust, "a device that recovers between two hellos gets jobs again") {
  attach("a");
  beat("a", {}, {{"cpu:test", "quarantined", "it fell over"}});
  submit(1);
  CHECK(grants("a").empty());
  attach("a"); // "ok", as its worker says now
  CHECK(capacities.back().slots == 1);
  beat("a", {}, {{"cpu:test", "ok", ""}});
  CHECK(grants("a").size() == 1);
}

TEST_CASE_METHOD(fleet_trust, "a device that is quarantined in a hello gets jobs when a beat calls it well") {
  wire::hello_body h;
  h.name = "a";
  h.devices = {{"cpu:test", "cpu-cpp", "quarantined", {}}};
  h.device_slots = 1;
  say("a", frame_kind::hello, h);
  say("a", frame_kind::ready, wire::ready_body{0, 1});
  submit(1);
  CHECK(grants("a").empty());
  beat("a", {}, {{"cpu:test", "ok", ""}});
  CHECK(grants("a").size() == 1);
}

TEST_CASE_METHOD(fleet_trust,
                 "a result that comes while its job waits again is taken, and the job waits no more") {
  attach("a");
  submit(1);
  submit(2); // waits: no credit
  pass(13s); // the lease of the first runs out: the second is granted, the first waits
  REQUIRE(grants("a").size() == 2);
  CHECK(grants("a")[1].job.id == 2);
  result("a", 1, 1);
  CHECK(done.size() == 1);
  result("a", 2, 1);
  CHECK(done.size() == 2);
  CHECK(grants("a").size() == 2);
  submit(3); // the fleet lives
  CHECK(grants("a").size() == 3);
}

TEST_CASE_METHOD(fleet_trust, "a beat of ten thousand foreign leases is not answered ten thousand times") {
  attach("a");
  std::vector<wire::lease_ref> foreign;
  for (std::uint64_t id = 0; id < 4000; ++id)
    foreign.push_back({1000 + id, 1, 5, {}, {}});
  beat("a", foreign);
  CHECK(revokes("a").size() <= 64);
  foreign.resize(10'000);
  attach("b");
  beat("a", foreign); // more than a worker can have: its session ends, and nobody else's
  CHECK(capacities.back().slots == 1);
}

TEST_CASE_METHOD(fleet_trust,
                 "a job that is asked for once more is not answered by what answered it before") {
  attach("a");
  submit(1);
  result("a", 1, 1);
  REQUIRE(done.size() == 1);
  auto again = std::make_shared<job>(grants("a").at(0).job);
  again->attempt = 0;
  tell(submit_job{again, {"a"}}); // a second opinion: nobody else is there, so it is a's turn after all
  REQUIRE(grants("a").size() == 2);
  CHECK(grants("a")[1].job.attempt == 2);
  result("a", 1, 1); // told twice: its acknowledgement was lost
  CHECK(done.size() == 1);
  result("a", 1, 2);
  CHECK(done.size() == 2);
}

TEST_CASE_METHOD(fleet_trust, "a job avoids the workers that it is told to, while another one can take it") {
  attach("a", 4);
  auto claim = std::make_shared<job>();
  claim->id = 1;
  claim->node = {1, 0, 1};
  claim->backend = "cpu-cpp";
  claim->device = "*";
  attach("b", 1);
  submit(2); // a has more credit
  CHECK(grants("a").size() == 1);
  tell(submit_job{claim, {"a"}});
  CHECK(grants("a").size() == 1);
  CHECK(grants("b").size() == 1);
  auto other = std::make_shared<job>(*claim);
  other->id = 3;
  tell(submit_job{other, {"a"}}); // waits for b
  CHECK(grants("a").size() == 1);
  say("b", frame_kind::bye, wire::ready_body{});
  CHECK(grants("a").size() == 3); // nobody else could ever take them
}
