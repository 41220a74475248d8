// A coordinator that starts again: its workers are there first, and the jobs come when the campaigns are
// loaded.
#include "actors/fleet/fleet.hpp"
#include "actors/messages/addresses.hpp"
#include "actors/messages/messages.hpp"
#include "runtime/core/job.hpp"
#include "runtime/core/job_result.hpp"
#include "tests/actors/fakes.hpp"
#include "tests/actors/virtual_time.hpp"

#include <catch2/catch.hpp>

using namespace ke;
using namespace std::chrono_literals;

namespace {

/// What a grant gave the worker to show is shown again, where there is such a thing.
template <class To, class From>
void repeat_right(To& to, const From& from) {
  if constexpr (requires { to.warrant = from.warrant; })
    to.warrant = from.warrant;
  if constexpr (requires { to.store = from.store; })
    to.store = from.store;
}

/// The same store in every life.
template <class Options>
void same_store(Options& o) {
  if constexpr (requires {
                  o.store_id;
                  o.key;
                }) {
    o.store_id = "store one";
    o.key = std::string(32, 'k');
  }
}

struct restart_fixture : test::virtual_time {
  std::shared_ptr<directory> names = std::make_shared<directory>();
  test::memory_store store;
  std::shared_ptr<test::scripted_transport> wire_out;
  std::vector<job_done> done;
  std::vector<caf::actor> actors;

  restart_fixture() {
    add(addresses::evaluator, system.spawn([this](caf::event_based_actor*) -> caf::behavior {
      return {
          [this](const job_done& d) { done.push_back(d); },
          [](const job_stage&) {},
          [](const job_poisoned&) {},
          [](const capacity&) {},
      };
    }));
    life(5);
  }
  ~restart_fixture() {
    for (auto& a : actors)
      caf::anon_send_exit(a, caf::exit_reason::user_shutdown);
    settle();
  }

  /// The coordinator of this epoch, which knows nothing but its store.
  void life(std::uint64_t epoch) {
    if (auto before = names->find(addresses::fleet)) {
      caf::anon_send_exit(before.weak(), caf::exit_reason::kill);
      settle();
    }
    wire_out = std::make_shared<test::scripted_transport>();
    fleet_options o;
    o.names = names;
    o.store = &store;
    same_store(o);
    o.epoch = epoch;
    o.term = 10s;
    add(addresses::fleet, system.spawn(fleet, o));
    tell(transport_is{wire_out});
  }
  void add(const address<>& at, caf::actor who) {
    names->set(at, who);
    actors.push_back(std::move(who));
  }
  template <class Message>
  void tell(Message m) {
    names->send(addresses::fleet, std::move(m));
    settle();
  }
  template <class Body>
  void say(frame_kind kind, const Body& body) {
    tell(frame_in{wire::make_frame("w", kind, body)});
  }
  void submit() {
    auto j = std::make_shared<job>();
    j->id = 1;
    j->node = {1, 0, 1};
    j->backend = "cpu-cpp";
    j->device = "*";
    j->problem_digest = "p";
    j->source_digest = "s";
    tell(submit_job{std::move(j)});
  }
  void hello(std::vector<wire::lease_ref> leases, std::vector<wire::lease_ref> held) {
    wire::hello_body h;
    h.name = "far";
    h.devices = {{"cpu:test", "cpu-cpp", "ok", {}}};
    h.device_slots = 2;
    h.leases = std::move(leases);
    h.held = std::move(held);
    say(frame_kind::hello, h);
  }
  void ready() { say(frame_kind::ready, wire::ready_body{0, 2}); }

  /// A job that the worker is granted in the first life of the coordinator.
  wire::grant_body granted() {
    hello({}, {});
    ready();
    submit();
    auto all = sent<wire::grant_body>(frame_kind::grant);
    REQUIRE(all.size() == 1);
    return all[0];
  }
  static wire::lease_ref lease_of(const wire::grant_body& g) {
    wire::lease_ref r;
    r.job = g.job.id;
    r.attempt = g.job.attempt;
    r.epoch = g.job.epoch;
    r.stage = wire::lease_stage::measuring;
    repeat_right(r, g.job);
    return r;
  }
  static job_result result_of(const wire::grant_body& g) {
    job_result r;
    r.id = g.job.id;
    r.attempt = g.job.attempt;
    r.epoch = g.job.epoch;
    repeat_right(r, g.job);
    return r;
  }
  template <class Body>
  std::vector<Body> sent(frame_kind kind) const {
    return wire_out->all<Body>(kind, "w");
  }
  std::size_t acks() const { return sent<wire::ack_body>(frame_kind::ack).size(); }
};

} // namespace

TEST_CASE_METHOD(
    restart_fixture,
    "work that a worker brings to a restarted coordinator is adopted, not revoked and begun again") {
  auto g = granted();
  life(6);
  hello({lease_of(g)}, {});
  ready();
  CHECK(sent<wire::revoke_body>(frame_kind::revoke).empty());
  say(frame_kind::beat, wire::worker_beat{{lease_of(g)}, {}, 0, 0});
  CHECK(sent<wire::revoke_body>(frame_kind::revoke).empty());
  submit(); // its campaign is loaded
  CHECK(sent<wire::grant_body>(frame_kind::grant).empty());
  CHECK(sent<wire::revoke_body>(frame_kind::revoke).empty());
  say(frame_kind::result, result_of(g));
  REQUIRE(done.size() == 1);
  CHECK(acks() == 0);
  done[0].acknowledge();
  CHECK(acks() == 1);
}

TEST_CASE_METHOD(restart_fixture, "a finished result that comes to a restarted coordinator before its job is "
                                  "acknowledged after the commit") {
  auto g = granted();
  life(6);
  hello({}, {lease_of(g)});
  say(frame_kind::result, result_of(g));
  ready();
  CHECK(acks() == 0);
  CHECK(done.empty());
  submit();
  CHECK(sent<wire::grant_body>(frame_kind::grant).empty());
  REQUIRE(done.size() == 1);
  CHECK(done[0].found->attempt == g.job.attempt);
  CHECK(acks() == 0);
  done[0].acknowledge();
  CHECK(acks() == 1);
}

TEST_CASE_METHOD(restart_fixture, "a result that is told again after a restart is applied once") {
  auto g = granted();
  life(6);
  hello({}, {lease_of(g)});
  say(frame_kind::result, result_of(g));
  submit();
  say(frame_kind::result, result_of(g));
  CHECK(done.size() == 1);
}
