#pragma once

#include "actors/fleet/fleet.hpp"
#include "actors/messages/addresses.hpp"
#include "actors/messages/messages.hpp"
#include "runtime/core/job.hpp"
#include "runtime/core/job_result.hpp"
#include "runtime/fleet/warrant.hpp"
#include "tests/actors/fakes.hpp"
#include "tests/actors/virtual_time.hpp"

#include <catch2/catch.hpp>
#include <nlohmann/json.hpp>

namespace ke::test {

using namespace std::chrono_literals;

/// A fleet between an evaluator that notes what it hears and a wire on which the test speaks as the workers.
struct fleet_fixture : virtual_time {
  std::shared_ptr<directory> names = std::make_shared<directory>();
  memory_store store;
  std::shared_ptr<scripted_transport> wire_out = std::make_shared<scripted_transport>();
  std::vector<job_done> done;
  std::vector<job_stage> stages;
  std::vector<job_poisoned> poisoned;
  std::vector<capacity> capacities;
  std::vector<caf::actor> actors;
  std::string store_id = "store one", key = std::string(32, 'k');
  std::uint64_t epoch = 5;

  fleet_fixture() {
    add(addresses::evaluator, system.spawn([this](caf::event_based_actor*) -> caf::behavior {
      return {
          [this](const job_done& d) { done.push_back(d); },
          [this](const job_stage& s) { stages.push_back(s); },
          [this](const job_poisoned& p) { poisoned.push_back(p); },
          [this](const capacity& c) { capacities.push_back(c); },
      };
    }));
    start_fleet();
    tell(transport_is{wire_out});
    tell(watch_capacity{addresses::evaluator});
  }
  ~fleet_fixture() {
    for (auto& a : actors)
      caf::anon_send_exit(a, caf::exit_reason::user_shutdown);
    settle();
  }

  void start_fleet() {
    fleet_options o;
    o.names = names;
    o.store = &store;
    o.store_id = store_id;
    o.key = key;
    o.epoch = epoch;
    o.term = 10s;
    add(addresses::fleet, system.spawn(fleet, o));
  }
  void add(const address<>& at, caf::actor who) {
    names->set(at, who);
    actors.push_back(std::move(who));
  }
  /// In small steps, as time passes: a clock that jumps is a fleet that was suspended.
  void pass(std::chrono::nanoseconds span) {
    for (; span > 0ns; span -= 500ms)
      virtual_time::pass(std::min<std::chrono::nanoseconds>(span, 500ms));
  }
  void jump(std::chrono::nanoseconds span) { virtual_time::pass(span); }
  template <class Message>
  void tell(Message m) {
    names->send(addresses::fleet, std::move(m));
    settle();
  }
  template <class Body>
  void say(const std::string& peer, frame_kind kind, const Body& body) {
    auto f = wire::make_frame(peer, kind, body);
    f.epoch = epoch;
    tell(frame_in{std::move(f)});
  }
  void attach(const std::string& peer, std::uint32_t device_slots = 1,
              std::vector<wire::lease_ref> leases = {}, std::vector<wire::lease_ref> held = {}) {
    wire::hello_body h;
    h.name = peer;
    h.devices = {{"cpu:test", "cpu-cpp", "ok", {}}};
    h.device_slots = device_slots;
    h.leases = std::move(leases);
    h.held = std::move(held);
    say(peer, frame_kind::hello, h);
    say(peer, frame_kind::ready, wire::ready_body{0, device_slots});
  }
  void submit(std::uint64_t id, std::string device = "*") {
    auto j = std::make_shared<job>();
    j->id = id;
    j->node = {1, 0, static_cast<std::uint32_t>(id)};
    j->backend = "cpu-cpp";
    j->device = std::move(device);
    j->problem_digest = "problem";
    j->source_digest = "candidate " + std::to_string(id);
    tell(submit_job{std::move(j)});
  }
  void beat(const std::string& peer, std::vector<wire::lease_ref> leases,
            std::vector<wire::device_health> devices = {}) {
    say(peer, frame_kind::beat, wire::worker_beat{std::move(leases), std::move(devices), 0, 0});
  }
  void result(const std::string& peer, std::uint64_t id, std::uint32_t attempt, failure why = {},
              std::uint64_t of_epoch = 5) {
    job_result r;
    r.why = std::move(why);
    give(peer, std::move(r), id, attempt, of_epoch);
  }
  /// As the worker that the job was granted to would: with its warrant.
  void give(const std::string& peer, job_result r, std::uint64_t id, std::uint32_t attempt,
            std::uint64_t of_epoch = 5) {
    r.id = id;
    r.attempt = attempt;
    r.epoch = of_epoch;
    r.store = store_id;
    r.warrant = warrant_of(peer, id, attempt, of_epoch);
    say(peer, frame_kind::result, r);
  }
  std::string warrant_of(const std::string& peer, std::uint64_t id, std::uint32_t attempt,
                         std::uint64_t of_epoch = 5) const {
    ke::warrant w;
    w.store = store_id;
    w.job = id;
    w.attempt = attempt;
    w.epoch = of_epoch;
    w.worker = peer;
    w.node = {1, 0, static_cast<std::uint32_t>(id)};
    w.problem = "problem";
    w.candidate = "candidate " + std::to_string(id);
    w.device = "cpu:test";
    w.deadline_ms = 300'000;
    return seal_warrant(w, key);
  }
  wire::lease_ref lease(const std::string& peer, std::uint64_t id, std::uint32_t attempt,
                        wire::lease_stage stage = wire::lease_stage::building,
                        std::uint64_t of_epoch = 5) const {
    return {id, attempt, of_epoch, stage, warrant_of(peer, id, attempt, of_epoch)};
  }
  std::vector<wire::grant_body> grants(const std::string& peer) const {
    return wire_out->all<wire::grant_body>(frame_kind::grant, peer);
  }
  std::size_t acks(const std::string& peer) const {
    return wire_out->all<wire::ack_body>(frame_kind::ack, peer).size();
  }
  std::vector<wire::revoke_body> revokes(const std::string& peer) const {
    return wire_out->all<wire::revoke_body>(frame_kind::revoke, peer);
  }
};

} // namespace ke::test
