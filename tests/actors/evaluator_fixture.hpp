#pragma once

#include "actors/campaign/evaluator.hpp"
#include "actors/messages/addresses.hpp"
#include "runtime/core/codec.hpp"
#include "runtime/core/device_info.hpp"
#include "runtime/core/evidence.hpp"
#include "runtime/core/job.hpp"
#include "runtime/core/job_result.hpp"
#include "runtime/core/measure_plan.hpp"
#include "runtime/core/node_key.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/same_object.hpp"
#include "runtime/core/verdict.hpp"
#include "runtime/core/verdict_state.hpp"
#include "runtime/text/source_text.hpp"
#include "tests/actors/fakes.hpp"
#include "tests/actors/virtual_time.hpp"
#include <catch2/catch.hpp>

namespace ke::test {

/// The evaluator between a store, a fleet and a campaign that a test plays.
struct evaluator_fixture : virtual_time {
  std::shared_ptr<directory> names = std::make_shared<directory>();
  memory_store store;
  std::vector<std::shared_ptr<const job>> submitted;
  std::vector<std::set<std::string>> avoided;
  std::vector<fleet_device> preferred;
  std::vector<std::uint64_t> cancelled;
  std::vector<judged> verdicts;
  std::vector<stage_changed> stages;
  std::vector<measured_again> again;
  std::vector<evaluation_failed> failures;
  std::vector<caf::actor> actors;
  int acknowledged = 0;

  evaluator_fixture() {
    add(addresses::fleet, system.spawn([this](caf::event_based_actor*) -> caf::behavior {
      return {
          [this](const submit_job& s) {
            submitted.push_back(s.what);
            avoided.push_back(s.avoid);
            preferred.push_back(s.prefer);
          },
          [this](const cancel_job& c) { cancelled.push_back(c.id); },
          [](const watch_capacity&) {},
      };
    }));
    add(addresses::campaign(1), system.spawn([this](caf::event_based_actor*) -> caf::behavior {
      return {
          [this](const judged& j) { verdicts.push_back(j); },
          [this](const stage_changed& s) { stages.push_back(s); },
          [this](const measured_again& m) { again.push_back(m); },
          [this](const evaluation_failed& f) { failures.push_back(f); },
      };
    }));
    evaluator_options o;
    o.names = names;
    o.store = &store;
    add(addresses::evaluator, system.spawn(evaluator, o));
    settle();
    tell(capacity{"cpu-cpp", 1, {device()}});
  }
  ~evaluator_fixture() {
    for (auto& a : actors)
      caf::anon_send_exit(a, caf::exit_reason::user_shutdown);
    settle();
  }

  static device_info device() { return {"cpu:test", "cpu-cpp", "ok", {{"flags", "-O3"}}}; }
  void add(const address<>& at, caf::actor who) {
    names->set(at, who);
    actors.push_back(std::move(who));
  }
  template <class Message>
  void tell(Message m) {
    names->send(addresses::evaluator, std::move(m));
    settle();
  }
  static evaluate_request request(std::uint32_t node, const std::string& source = "void kernel() {}") {
    evaluate_request r;
    r.node = {1, 0, node};
    r.backend = "cpu-cpp";
    r.devices = {"cpu:*"};
    r.source = std::make_shared<const std::string>(source);
    r.source_digest = digest_of(source);
    r.normalised_digest = source_digest(source, source_language::cpp);
    r.problem_digest = "p";
    r.problem = std::make_shared<const problem>();
    r.timed = false;
    return r;
  }
  void done(std::uint64_t id, ending how, failure why = {}) {
    auto r = std::make_shared<job_result>();
    r->id = id;
    r->why = std::move(why);
    r->found.ending = how;
    r->found.reason = "as scripted";
    r->found.timed = false;
    r->found.cases = 3;
    tell(job_done{id, from(std::move(r)), "w", [this] { ++acknowledged; }});
  }
  /// Evidence tells of what it is.
  std::shared_ptr<job_result> from(std::shared_ptr<job_result> r) const {
    for (const auto& j : submitted)
      if (j->id == r->id) {
        r->found.provenance["candidate"] = j->source_digest;
        r->found.provenance["problem"] = j->problem_digest;
      }
    return r;
  }
};

} // namespace ke::test
