#include "actors/bench/bench_actors.hpp"

#include "actors/coordinator/coordinator.hpp"
#include "actors/messages/addresses.hpp"
#include "runtime/core/codec.hpp"
#include "runtime/core/device_info.hpp"
#include "runtime/core/digest.hpp"
#include "runtime/core/evidence.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/settings.hpp"
#include "runtime/core/verdict.hpp"
#include "runtime/core/verdict_state.hpp"
#include "runtime/observe/counters.hpp"
#include "runtime/observe/own_memory.hpp"
#include "runtime/records/synthetic_campaign.hpp"

#include <nlohmann/json.hpp>

#include <sys/resource.h>

#include <atomic>
#include <cmath>
#include <deque>
#include <filesystem>
#include <future>
#include <thread>

namespace ke {

struct announce_capacity {};
struct evaluation_over {
  std::shared_ptr<evaluate_request> request;
};

} // namespace ke

KE_MESSAGE(ke::announce_capacity)
KE_MESSAGE(ke::evaluation_over)

namespace ke::cli {
namespace {

using clock = std::chrono::steady_clock;

struct stand_in_facts {
  std::shared_ptr<directory> names;
  std::uint32_t campaign = 1;
  std::uint32_t slots = 8;
  std::chrono::nanoseconds takes{};
  std::atomic<std::int64_t>* busy_ns = nullptr; ///< slot time used
  std::atomic<std::int64_t>* done = nullptr;
};

/// Stands in for fleet and workers: gives each candidate a verdict made from its digest after a constant
/// time, in `slots` slots.
caf::behavior stand_in(caf::event_based_actor* self, stand_in_facts facts) {
  keep_exception_text(self);
  struct state {
    std::deque<std::shared_ptr<evaluate_request>> waiting;
    std::uint32_t busy = 0;
    std::uint64_t served = 0;
  };
  auto s = std::make_shared<state>();
  auto answer = [=](const evaluate_request& r) {
    auto v = std::make_shared<verdict>();
    v->state = verdict_state::correct;
    v->decision = timing_decision::faster;
    v->backend = r.backend;
    v->problem = r.problem_digest;
    v->candidate = r.source_digest;
    v->score =
        1 + static_cast<double>(checksum_of(r.source_digest + std::to_string(r.node.node)) % 1000) / 1000;
    auto batch = std::make_shared<store_batch>();
    auto key = digest_of_parts({r.problem_digest, r.normalised_digest, std::to_string(r.node.node)});
    batch->put(table::evidence, key_of(r.node.campaign, r.node.tree, r.node.node, 0), pack(evidence{}));
    batch->put(table::verdicts, key, pack(*v));
    ++*facts.done;
    *facts.busy_ns += facts.takes.count();
    facts.names->send(
        addresses::campaign(r.node.campaign),
        judged{
            r.node, 0, v, key, false, std::chrono::duration<double>(facts.takes).count(), batch, {}, r.plan});
  };
  auto pump = [=] {
    while (s->busy < facts.slots && !s->waiting.empty()) {
      auto r = std::move(s->waiting.front());
      s->waiting.pop_front();
      ++s->busy;
      facts.names->send(addresses::campaign(r->node.campaign), stage_changed{r->node, node_state::measuring});
      after(self, facts.takes, evaluation_over{std::move(r)});
    }
  };
  self->send(self, announce_capacity{});
  return {
      [=](const announce_capacity&) {
        if (s->served > 0)
          return;
        device_info d{"bench", "cpu-cpp", "ok", {}};
        facts.names->send(addresses::campaign(facts.campaign), capacity{"cpu-cpp", facts.slots, {d}});
        after(self, std::chrono::milliseconds{20}, announce_capacity{});
      },
      [=](evaluate_request& r) {
        ++s->served;
        if (facts.takes.count() == 0)
          return answer(r);
        s->waiting.push_back(std::make_shared<evaluate_request>(std::move(r)));
        pump();
      },
      [=](const evaluation_over& e) {
        --s->busy;
        answer(*e.request);
        pump();
      },
      [](const cancel_evaluation&) {},
  };
}

double cpu_seconds() {
  rusage u{};
  getrusage(RUSAGE_SELF, &u);
  auto s = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return s(u.ru_utime) + s(u.ru_stime);
}

/// A coordinator without wire and workers whose evaluator is the stand-in, and when its campaign was loaded.
struct bench_rig {
  std::atomic<std::int64_t> busy_ns{0}, done{0};
  std::promise<void> loaded;
  std::atomic<bool> told{false};
  std::unique_ptr<coordinator> owner;
  caf::actor evaluator;

  result<std::uint32_t> start(const campaign_settings& settings, std::uint32_t slots,
                              std::chrono::nanoseconds takes, std::int64_t preload) {
    if (preload > 0) {
      store_options o;
      o.dir = settings.store;
      o.program = KE_VERSION;
      auto store = store_service::open(std::move(o));
      if (!store)
        return store.error();
      write_synthetic_campaign(**store, 1, settings, static_cast<std::uint32_t>(preload), 1260, 64);
      (*store)->flush();
    }
    coordinator_options c;
    c.store = settings.store;
    c.durable_only = true;
    c.publish = [this](const std::string& line) {
      if (!told && line.find("\"event\":\"campaign\"") != std::string::npos && !told.exchange(true))
        loaded.set_value();
    };
    auto started = coordinator::start(std::move(c));
    if (!started)
      return started.error();
    owner = std::move(*started);
    stand_in_facts facts{owner->names(), 1, slots, takes, &busy_ns, &done};
    evaluator = owner->system().spawn(stand_in, facts);
    owner->names()->set(addresses::evaluator, evaluator);
    auto id = owner->submit(settings, synthetic_problem(), false);
    if (id)
      loaded.get_future().wait();
    return id;
  }
  ~bench_rig() {
    if (evaluator)
      caf::anon_send_exit(evaluator, caf::exit_reason::user_shutdown);
    evaluator = nullptr;
  }
};

} // namespace

result<overhead_figures> run_overhead(const std::string& store, const std::string& llm,
                                      std::int64_t candidates, std::int64_t parallel, std::int64_t preload) {
  bench_rig rig;
  auto settings = synthetic_settings(store, llm, candidates + preload, parallel);
  auto id = rig.start(settings, static_cast<std::uint32_t>(parallel), {}, preload);
  if (!id)
    return id.error();
  auto cpu = cpu_seconds();
  auto begun = clock::now();
  auto out = rig.owner->wait(*id);
  auto used = cpu_seconds() - cpu;
  auto wall = std::chrono::duration<double>(clock::now() - begun).count();
  if (out.state != "finished")
    return out.why.kind == failure_kind::none
               ? failure{failure_kind::internal, "the campaign ended as " + out.state, false}
               : out.why;
  if (rig.done == 0)
    return failure{failure_kind::connection,
                   "no answer of " + llm + " held a candidate; is the server there?", false};
  return overhead_figures{used * 1e6 / static_cast<double>(candidates),
                          static_cast<double>(candidates) / wall,
                          static_cast<std::uint64_t>(candidates + preload), own_status("VmRSS")};
}

result<slots_figures> run_slots(const std::string& store, const std::string& llm, std::int64_t slots,
                                double eval_ms, double seconds, std::int64_t parallel) {
  bench_rig rig;
  auto settings = synthetic_settings(store, llm, 100'000'000, parallel);
  auto& out = counters::get("llm.in_flight");
  slots_figures f;
  auto before = anonymous_bytes();
  auto held = before;
  auto id = rig.start(settings, static_cast<std::uint32_t>(slots),
                      std::chrono::nanoseconds{static_cast<std::int64_t>(eval_ms * 1e6)}, 0);
  if (!id)
    return id.error();
  // This is a measurement over wall time: waiting is its work.
  auto watch = [&](double s, auto each) {
    auto begun = clock::now();
    while (std::chrono::duration<double>(clock::now() - begun).count() < s) {
      std::this_thread::sleep_for(std::chrono::milliseconds{20});
      f.llm_in_flight_peak = std::max(f.llm_in_flight_peak, static_cast<std::uint64_t>(out));
      held = std::max(held, anonymous_bytes());
      each();
    }
  };
  watch(5, [] {});
  auto begun = clock::now();
  std::int64_t busy = rig.busy_ns, done = rig.done;
  double in_flight = 0;
  int samples = 0;
  watch(seconds - 5, [&] {
    in_flight += static_cast<double>(out);
    ++samples;
  });
  auto wall = std::chrono::duration<double>(clock::now() - begun).count();
  f.utilization = static_cast<double>(rig.busy_ns - busy) * 1e-9 / (wall * static_cast<double>(slots));
  f.evaluations_per_s = static_cast<double>(rig.done - done) / wall;
  f.llm_in_flight = static_cast<std::uint64_t>(std::llround(in_flight / std::max(1, samples)));
  // Memory stays with the process for the next requests: the most of both belong together.
  if (f.llm_in_flight_peak > 0)
    f.llm_bytes_per_request = static_cast<double>(held - before) / static_cast<double>(f.llm_in_flight_peak);
  f.threads = own_status("Threads");
  rig.owner->interrupt_all();
  rig.owner->interrupt_all();
  rig.owner->wait(*id);
  return f;
}

} // namespace ke::cli
