#include "actors/fleet/fleet.hpp"

#include "actors/fleet/attached_worker.hpp"
#include "actors/fleet/worker_session.hpp"
#include "actors/messages/addresses.hpp"
#include "actors/messages/handlers_of.hpp"
#include "actors/messages/messages.hpp"
#include "backends/evidence/job_spans.hpp"
#include "runtime/core/device_info.hpp"
#include "runtime/core/evidence.hpp"
#include "runtime/core/job.hpp"
#include "runtime/core/job_limits.hpp"
#include "runtime/core/job_result.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/fleet/answered_jobs.hpp"
#include "runtime/fleet/placement.hpp"
#include "runtime/fleet/warrant.hpp"
#include "runtime/net/wire_body.hpp"
#include "runtime/observe/counters.hpp"
#include "runtime/observe/log.hpp"
#include "runtime/observe/trace.hpp"
#include "runtime/text/json_line.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <optional>
#include <set>
#include <unordered_map>
#include <utility>

namespace ke {

struct check_leases {};

} // namespace ke

KE_MESSAGE(ke::check_leases)

namespace ke {
namespace {

/// A result that came before its campaign asked.
struct early_result {
  std::shared_ptr<const job_result> found;
  std::string peer, worker, device;
};

struct tracked_job {
  std::shared_ptr<const job> what; ///< null: a worker brought it from an earlier life, and nobody asked yet
  warrant brought;                 ///< by which it was, if so
  std::optional<early_result> early;
  std::uint32_t attempt = 0;
  /// The last attempt that has been answered: by a machine's failure, or before another request for the job.
  std::uint32_t answered = 0;
  std::set<std::string> avoid;       ///< peers where it failed
  std::set<std::string> avoid_names; ///< workers that are not to do it
  fleet_device prefer;               ///< where its parent was measured
  trace::time_point queued = trace::time_point::clock::now(), granted{};
};

constexpr std::size_t most_brought = 8192;       ///< jobs of earlier lives that wait for their campaign
constexpr std::size_t most_revoked_at_once = 64; ///< in answer to one beat

/// Time for a whole job from its receipt; `ahead` other jobs may come before it at the worker. A build that
/// makes the compiler crash is repeated by a second one. `run_s` bounds the candidate's own calls, so the
/// judge takes at most four times as long; profiles come afterwards.
std::uint64_t deadline_ms(const job_limits& l, std::size_t ahead) {
  return static_cast<std::uint64_t>((l.build_s * 4 + l.run_s * 5) * 1000) * (1 + ahead);
}

class dispatcher {
  using open_jobs = std::unordered_map<std::uint64_t, tracked_job>;

public:
  dispatcher(caf::event_based_actor* self, fleet_options options)
      : self_{self}, options_{std::move(options)}, leases_{options_.term} {
    next_check();
    options_.names->send(addresses::gateway, want_transport{addresses::fleet});
  }

  void transport(std::shared_ptr<transport_port> t) { transport_ = std::move(t); }

  void frame(frame_in& in) {
    auto w = workers_.find(in.what.peer);
    if (w == workers_.end()) {
      if (!transport_ || in.what.kind == frame_kind::bye)
        return;
      // The session here failed, or we are new ourselves: the worker says hello again, and lists what it
      // holds.
      if (in.what.kind != frame_kind::hello)
        return transport_->send(wire::make_frame(in.what.peer, frame_kind::refuse,
                                                 wire::refuse_body{"no session: say hello", true}));
      attached_worker a;
      a.peer = in.what.peer;
      a.session = self_->spawn(worker_session, session_options{a.peer, options_.names, transport_,
                                                               options_.store, options_.epoch});
      self_->monitor(a.session);
      w = workers_.emplace(a.peer, std::move(a)).first;
    }
    self_->send(w->second.session, std::move(in));
  }

  void said(const worker_said& s) {
    auto found = workers_.find(s.peer);
    if (found == workers_.end())
      return;
    auto& w = found->second;
    auto now = self_->clock().now();
    switch (s.kind) {
    case frame_kind::hello:
      return hello(w, *s.hello);
    case frame_kind::ready:
      placement_.offer(w.peer, s.ready.build_slots, s.ready.device_slots);
      return dispatch();
    case frame_kind::decline:
      log::info("fleet", "worker declined", {{"worker", w.name}, {"why", s.decline.reason}});
      if (leases_.release(w.peer, s.decline.job, s.decline.attempt))
        again(s.decline.job, w.peer);
      return dispatch();
    case frame_kind::beat: {
      auto strange = leases_.renew(w.peer, s.beat->leases, now);
      strange.resize(std::min(strange.size(), most_revoked_at_once)); // the next beat names the others again
      for (const auto& r : strange)
        self_->send(w.session, revoke_job{r, "another worker has it, or it is not wanted any more"});
      for (const auto& r : s.beat->leases)
        if (const auto* l = leases_.find(r.job);
            l && l->worker == w.peer && l->attempt == r.attempt && r.stage != wire::lease_stage::queued)
          tell_evaluator(job_stage{r.job, r.stage == wire::lease_stage::building ? node_state::building
                                                                                 : node_state::measuring});
      devices_are(w, s.beat->devices);
      return;
    }
    case frame_kind::result:
      return result(w, s.result);
    case frame_kind::drain:
      w.state = "draining";
      placement_.offer(w.peer, 0, 0);
      return tell_capacity();
    case frame_kind::bye:
      return lost(w.peer, "said bye", true);
    default:
      return;
    }
  }

  void submit(const submit_job& s) {
    auto [at, fresh] = jobs_.try_emplace(s.what->id);
    auto& j = at->second;
    brought_ -= !fresh && !j.what;
    j.what = s.what;
    j.avoid_names = s.avoid;
    j.prefer = s.prefer;
    if (auto before = answered_.last(s.what->id)) {
      j.attempt = std::max(j.attempt, before);
      j.answered = std::max(j.answered, before);
    }
    if (auto early = std::exchange(j.early, std::nullopt)) { // a worker has done it in an earlier life
      deliver(early->peer, {early->worker, early->device}, j, early->found);
    } else if (!leases_.find(s.what->id)) { // new, or asked for again after a failed evaluation
      enqueue(j);
    }
    dispatch();
  }

  void wanted(const evaluations_wanted& w) {
    wanted_.are(w.campaign, w.open, w.over);
    for (auto j = jobs_.begin(); j != jobs_.end();) {
      auto here = j++;
      auto& tracked = here->second;
      if (tracked.what || tracked.brought.node.campaign != w.campaign ||
          wanted_.of(tracked.brought) != wanted_evaluations::wish::unwanted)
        continue;
      if (tracked.early)
        late(tracked.early->peer, tracked.early->worker, *tracked.early->found);
      withdraw(here->first, "its campaign does not want it any more");
      jobs_.erase(here);
      --brought_;
    }
    dispatch();
  }

  void cancel(const cancel_job& c) {
    auto j = jobs_.find(c.id);
    if (j == jobs_.end())
      return;
    withdraw(c.id, "cancelled");
    forget(j);
    dispatch();
  }

  void peer_gone(const peer_lost& l) { lost(l.peer, l.why.text, false); }

  void session_down(const caf::down_msg& msg) {
    for (auto& [peer, w] : workers_)
      if (w.session && w.session.address() == msg.source)
        return lost(std::string{peer}, text_of(msg.reason), false);
  }

  void leases_due() {
    auto now = self_->clock().now();
    // Suspended, swapped out, or far behind with our mail: what the workers said meanwhile is behind this
    // message, so nobody has been silent.
    if (auto behind = now - check_due_; behind > options_.term / 4)
      leases_.stood_still(behind, now);
    next_check();
    for (const auto& l : leases_.expire(now))
      lost_lease(l, now < l.until ? "it did not end within its deadline" : "its lease ran out");
    dispatch();
  }

  void watch(const watch_capacity& w) {
    watchers_.insert(w.who);
    for (const auto& [backend, c] : capacities())
      options_.names->send(w.who, c);
  }

  void workers(const workers_request& r) {
    auto all = nlohmann::ordered_json::array();
    for (const auto& [peer, w] : workers_) {
      if (w.hello.devices.empty() && w.name.empty())
        continue;
      all.push_back(json_of(w));
    }
    r.done(json_line(all));
  }

private:
  template <class Message>
  void tell_evaluator(Message m) {
    options_.names->send(addresses::evaluator, std::move(m));
  }

  void next_check() {
    check_due_ = self_->clock().now() + options_.term / 4;
    after(self_, options_.term / 4, check_leases{});
  }

  void hello(attached_worker& w, const wire::hello_body& h) {
    w.hello = h;
    w.name = h.name;
    w.state = "ok";
    w.reasons.clear();
    log::info("fleet", "worker attached",
              {{"worker", h.name}, {"devices", std::to_string(h.devices.size())}});
    leases_.attached(w.peer, h.boot.empty() ? std::string{} : h.name + '/' + h.boot);
    placement_.worker_up(w.peer, h.devices, h.labels, 0, 0, h.name); // credit comes with `ready`
    for (const auto& r : h.leases)
      brings(w, r, true);
    for (const auto& r : h.held)
      brings(w, r, false);
    tell_capacity();
    dispatch();
  }

  /// What this store granted to this worker, by the shown warrant; nothing without a grant.
  std::optional<warrant> granted(const attached_worker& w, const std::string& sealed, std::uint64_t job,
                                 std::uint32_t attempt, std::uint64_t epoch) const {
    auto g = open_warrant(sealed, options_.key);
    if (!g || g->store != options_.store_id || g->worker != w.name || g->job != job ||
        g->attempt != attempt || g->epoch != epoch)
      return std::nullopt;
    return g;
  }

  /// A lease in a hello (`runs`), or a result that nobody has acknowledged. What it shows no warrant for is
  /// another store's, and none of our business.
  void brings(attached_worker& w, const wire::lease_ref& r, bool runs) {
    auto g = granted(w, r.warrant, r.job, r.attempt, r.epoch);
    if (!g)
      return log::info("fleet", "a worker holds work that was not granted to it here",
                       {{"worker", w.name}, {"job", std::to_string(r.job)}});
    auto now = self_->clock().now();
    auto j = jobs_.find(r.job);
    if (j == jobs_.end()) {
      if (wanted_.of(*g) == wanted_evaluations::wish::unwanted || brought_ >= most_brought) {
        if (runs)
          self_->send(w.session, revoke_job{r, "it is not wanted any more"});
        return; // a result is acknowledged when it comes
      }
      j = bring(*g);
    }
    lease l{r.job,     r.attempt, r.epoch, w.peer,
            g->device, g->node,   {},      now + std::chrono::milliseconds{g->deadline_ms} + options_.term,
            r.stage};
    if (leases_.adopt(std::move(l), now)) {
      placement_.book(r.job, g->node.campaign, w.peer, g->device);
      j->second.attempt = r.attempt;
      self_->send(w.session, content_is_free{{g->problem, g->candidate}});
    } else if (runs) {
      self_->send(w.session, revoke_job{r, "another worker has it"});
    }
  }

  std::function<void()> acknowledgement(const std::string& peer, const job_result& r) const {
    return [transport = transport_, peer, id = r.id, attempt = r.attempt] {
      transport->send(wire::make_frame(peer, frame_kind::ack, wire::ack_body{id, attempt}));
    };
  }

  open_jobs::iterator bring(const warrant& g) {
    auto j = jobs_.try_emplace(g.job).first;
    j->second.brought = g;
    ++brought_;
    return j;
  }

  /// Nobody has asked for it, and its worker is gone: as if it had never been brought.
  void unbring(open_jobs::iterator j) {
    leases_.close(j->first);
    if (j->second.early)
      return;
    jobs_.erase(j);
    --brought_;
  }

  /// Known already, or not wanted any more: the worker need not keep it.
  void late(const std::string& peer, const std::string& worker, const job_result& r) {
    static auto& count = counters::get("fleet.late_results");
    ++count;
    log::info("fleet", "late result", {{"worker", worker}, {"job", std::to_string(r.id)}});
    acknowledgement(peer, r)();
  }

  void result(attached_worker& w, const std::shared_ptr<const job_result>& r) {
    auto g = granted(w, r->warrant, r->id, r->attempt, r->epoch);
    if (!g) {
      static auto& refused = counters::get("fleet.refused_results");
      ++refused;
      return log::warn("fleet", "refused a result for work that was not granted to this worker here",
                       {{"worker", w.name}, {"job", std::to_string(r->id)}});
    }
    auto j = jobs_.find(r->id);
    if (j == jobs_.end()) {
      if (wanted_.of(*g) == wanted_evaluations::wish::unwanted || r->attempt <= answered_.last(r->id))
        return late(w.peer, w.name, *r);
      if (brought_ >= most_brought)
        return; // the worker keeps it
      j = bring(*g);
    }
    auto& tracked = j->second;
    if (!tracked.what) {
      placement_.done(r->id);
      leases_.close(r->id);
      tracked.attempt = r->attempt;
      tracked.early = early_result{r, w.peer, w.name, g->device};
      return dispatch();
    }
    // `unknown`: it waits in our queue, and an earlier life has granted it.
    if (tracked.what->problem_digest != g->problem || tracked.what->source_digest != g->candidate ||
        r->attempt <= tracked.answered || leases_.result(r->id, r->attempt, r->epoch) == result_fate::stale)
      return late(w.peer, w.name, *r);
    ++w.jobs_done;
    placement_.done(r->id);
    placement_.cancel(r->id); // its lease had run out, and it waits again
    tracked.attempt = std::max(tracked.attempt, r->attempt);
    deliver(w.peer, {w.name, g->device}, tracked, r);
    dispatch();
  }

  void deliver(const std::string& peer, const fleet_device& by, tracked_job& tracked,
               const std::shared_ptr<const job_result>& r) {
    spans_left_ -= trace_job(*tracked.what, by.worker, tracked.queued, tracked.granted,
                             trace::time_point::clock::now(), *r, std::min<std::size_t>(spans_left_, 400));
    auto acknowledge = acknowledgement(peer, *r);
    if (r->why.kind != failure_kind::none ||
        r->found.ending == ending::harness_error) // the machine's fault: elsewhere first
      tracked.avoid.insert(peer), tracked.answered = r->attempt;
    else
      forget(jobs_.find(r->id));
    tell_evaluator(job_done{r->id, r, by.worker, std::move(acknowledge), by.device});
  }

  /// It is over: whatever comes of it later is late.
  void forget(open_jobs::iterator j) {
    answered_.is(j->first, j->second.attempt);
    if (j->second.what && j->second.what->plan != measure_plan::claim)
      wanted_.ended(j->second.what->node, j->second.what->target);
    jobs_.erase(j);
  }

  void withdraw(std::uint64_t id, const std::string& why) {
    placement_.cancel(id);
    auto l = leases_.close(id);
    if (!l)
      return;
    placement_.done(id);
    if (auto w = workers_.find(l->worker); w != workers_.end())
      self_->send(w->second.session, revoke_job{l->ref(), why});
  }

  /// Health as a beat tells it; only changes are news to the campaigns and to waiting jobs.
  void devices_are(attached_worker& w, const std::vector<wire::device_health>& told) {
    bool changed = false;
    for (const auto& t : told)
      for (auto& d : w.hello.devices)
        if (d.name == t.name && d.state != t.state) {
          log::info("fleet", "device state",
                    {{"worker", w.name}, {"device", d.name}, {"state", t.state}, {"why", t.reason}});
          d.state = t.state;
          w.reasons[d.name] = t.reason;
          placement_.quarantine(w.peer, d.name, t.state != "ok");
          changed = true;
        }
    if (!changed)
      return;
    tell_capacity();
    dispatch();
  }

  void enqueue(const tracked_job& w) {
    placement_request p;
    p.job = w.what->id;
    p.campaign = w.what->node.campaign;
    p.backend = w.what->backend;
    p.device = w.what->device;
    p.priority = w.what->priority;
    p.avoid = w.avoid;
    p.avoid_names = w.avoid_names;
    p.prefer = w.prefer;
    placement_.enqueue(std::move(p));
  }

  void again(std::uint64_t id, const std::string& avoid) {
    placement_.done(id);
    auto j = jobs_.find(id);
    if (j == jobs_.end())
      return;
    if (!j->second.what)
      return unbring(j);
    j->second.avoid.insert(avoid);
    enqueue(j->second);
  }

  void dispatch() {
    static auto& waiting = counters::get("fleet.waiting");
    static auto& running = counters::get("fleet.running");
    while (auto p = placement_.next()) {
      auto j = jobs_.find(p->job);
      auto w = workers_.find(p->worker);
      if (j == jobs_.end() || !j->second.what || w == workers_.end()) {
        placement_.done(p->job);
        continue;
      }
      auto& tracked = j->second;
      tracked.attempt = std::max(tracked.attempt, leases_.last_attempt(p->job)) + 1;
      auto granted = *tracked.what;
      granted.attempt = tracked.attempt;
      granted.epoch = options_.epoch;
      auto now = self_->clock().now();
      auto deadline = deadline_ms(granted.limits, leases_.held_by(p->worker).size());
      // Later here than there: the worker itself gives up first, and says why.
      if (!leases_.grant(granted, p->worker, p->device, now,
                         now + std::chrono::milliseconds{deadline} + options_.term)) {
        placement_.done(p->job);
        continue;
      }
      tracked.granted = trace::time_point::clock::now();
      auto sealed = seal_warrant({options_.store_id, p->job, tracked.attempt, options_.epoch, w->second.name,
                                  granted.node, granted.target, granted.plan, granted.problem_digest,
                                  granted.source_digest, p->device, deadline},
                                 options_.key);
      self_->send(w->second.session, grant_job{tracked.what, tracked.attempt, options_.epoch, p->device,
                                               std::move(sealed), deadline});
    }
    waiting = static_cast<std::int64_t>(placement_.waiting());
    running = static_cast<std::int64_t>(placement_.in_flight());
  }

  void lost_lease(const lease& l, const std::string& why) {
    placement_.done(l.job);
    auto j = jobs_.find(l.job);
    if (j == jobs_.end())
      return;
    if (!j->second.what)
      return unbring(j);
    if (leases_.poisoned(l.node)) {
      leases_.close(l.job);
      forget(j);
      return tell_evaluator(
          job_poisoned{l.job, "three workers were lost while they evaluated it, the last: " + why});
    }
    again(l.job, l.worker);
  }

  void lost(const std::string& peer, const std::string& why, bool left) {
    auto w = workers_.find(peer);
    if (w == workers_.end())
      return;
    log::info("fleet", left ? "worker left" : "worker lost", {{"worker", w->second.name}, {"why", why}});
    auto leases = left ? leases_.worker_left(peer) : leases_.worker_lost(peer);
    placement_.worker_down(peer);
    if (w->second.session)
      self_->send_exit(w->second.session, caf::exit_reason::user_shutdown);
    workers_.erase(w);
    for (const auto& l : leases)
      lost_lease(l, why);
    tell_capacity();
    dispatch();
  }

  static std::string out_of_service(const attached_worker& w, const device_info& d) {
    if (d.state == "ok")
      return "worker " + w.name + " is " + w.state;
    auto reason = w.reasons.find(d.name);
    return "device " + d.name + " of worker " + w.name + " is " + d.state +
           (reason == w.reasons.end() || reason->second.empty() ? "" : ": " + reason->second);
  }

  std::map<std::string, capacity> capacities() const {
    std::map<std::string, capacity> all;
    for (const auto& [peer, w] : workers_)
      for (const auto& d : w.hello.devices) {
        auto& c = all[d.backend];
        c.backend = d.backend;
        if (w.state == "ok" && d.state == "ok")
          c.slots +=
              std::max(1u, w.hello.device_slots /
                               static_cast<std::uint32_t>(std::max<std::size_t>(1, w.hello.devices.size())));
        else
          c.why += (c.why.empty() ? "" : "; ") + out_of_service(w, d);
        c.devices.push_back(d);
        if (w.state == "ok" && d.state == "ok")
          c.offered_by[class_of(d)].insert(w.name);
      }
    for (auto& [backend, c] : all)
      if (c.slots > 0)
        c.why.clear();
    return all;
  }

  void tell_capacity() {
    auto now = capacities();
    for (const auto& backend : known_backends_)
      if (!now.contains(backend)) {
        now[backend].backend = backend;
        now[backend].why = "no worker offers the backend " + backend + " any more";
      }
    for (const auto& [backend, c] : now) {
      known_backends_.insert(backend);
      for (const auto& who : watchers_)
        options_.names->send(who, c);
    }
  }

  caf::event_based_actor* self_;
  fleet_options options_;
  std::shared_ptr<transport_port> transport_;
  lease_table leases_;
  placement placement_;
  std::map<std::string, attached_worker> workers_; ///< by peer
  open_jobs jobs_;
  answered_jobs answered_;
  wanted_evaluations wanted_;
  std::size_t brought_ = 0; ///< jobs that nobody has asked for yet
  std::chrono::steady_clock::time_point check_due_{};
  std::set<address<capacity>> watchers_;
  std::set<std::string> known_backends_;
  std::size_t spans_left_ = 50'000; ///< of candidates' calls in this session's trace: some megabytes
};

} // namespace

caf::behavior fleet(caf::event_based_actor* self, fleet_options options) {
  keep_exception_text(self);
  auto state = std::make_shared<dispatcher>(self, std::move(options));
  self->set_down_handler([=](caf::down_msg& msg) { state->session_down(msg); });
  handlers_of handlers{
      addresses::fleet,
      [=](transport_is& t) { state->transport(std::move(t.transport)); },
      [=](frame_in& in) { state->frame(in); },
      [=](const peer_lost& l) { state->peer_gone(l); },
      [=](const worker_said& s) { state->said(s); },
      [=](const submit_job& s) { state->submit(s); },
      [=](const evaluations_wanted& w) { state->wanted(w); },
      [=](const cancel_job& c) { state->cancel(c); },
      [=](const watch_capacity& w) { state->watch(w); },
      [=](const workers_request& r) { state->workers(r); },
      [=](const check_leases&) { state->leases_due(); },
  };
  return handlers.behavior();
}

} // namespace ke
