#include "actors/fleet.hpp"

#include "actors/job_trace.hpp"
#include "actors/messages.hpp"
#include "actors/worker_session.hpp"
#include "runtime/core/counters.hpp"
#include "runtime/core/log.hpp"
#include "runtime/core/trace.hpp"
#include "runtime/net/placement.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>
#include <unordered_map>

namespace ke {

struct check_leases {};

} // namespace ke

KE_MESSAGE(ke::check_leases)

namespace ke {
namespace {

struct attached {
  std::string peer;
  std::string name;
  caf::actor session;
  wire::hello_body hello;
  std::string state = "ok";                   ///< ok | draining
  std::map<std::string, std::string> reasons; ///< of devices that are out of service
  std::uint64_t jobs_done = 0;
};

struct open_work {
  std::shared_ptr<const job> what;
  std::uint32_t attempt = 0;
  std::set<std::string> avoid;
  trace::time_point queued = trace::time_point::clock::now(), granted{};
};

class dispatcher {
public:
  dispatcher(caf::event_based_actor* self, fleet_options options)
      : self_{self}, options_{std::move(options)}, leases_{options_.term} {
    after(self_, options_.term / 4, check_leases{});
    options_.names->send("gateway", want_transport{"fleet"});
  }

  void transport(std::shared_ptr<transport_port> t) { transport_ = std::move(t); }

  void frame(frame_in& in) {
    auto w = workers_.find(in.what.peer);
    if (w == workers_.end()) {
      if (!transport_ || in.what.kind == frame_kind::bye)
        return;
      // Its session here failed, or we are new ourselves: it says hello again, with all that it holds.
      if (in.what.kind != frame_kind::hello)
        return transport_->send(wire::make_frame(in.what.peer, frame_kind::refuse,
                                                 wire::refuse_body{"no session: say hello", true}));
      attached a;
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
      if (leases_.release(s.decline.job, s.decline.attempt))
        again(s.decline.job, w.peer);
      return dispatch();
    case frame_kind::beat: {
      for (const auto& r : leases_.renew(w.peer, s.beat->leases, now))
        self_->send(w.session, revoke_job{r, "another worker has it, or it is not wanted any more"});
      for (const auto& r : s.beat->leases)
        if (auto j = jobs_.find(r.job);
            j != jobs_.end() && j->second.attempt == r.attempt && r.stage != wire::lease_stage::queued)
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
    auto [j, fresh] = jobs_.try_emplace(s.what->id);
    j->second.what = s.what;
    if (fresh) {
      j->second.attempt = 0;
      enqueue(j->second);
    } else if (!leases_.find(s.what->id)) { // asked for again after a failed evaluation
      enqueue(j->second);
    }
    dispatch();
  }

  void cancel(const cancel_job& c) {
    auto j = jobs_.find(c.id);
    if (j == jobs_.end())
      return;
    placement_.cancel(c.id);
    if (auto l = leases_.close(c.id)) {
      placement_.done(c.id);
      if (auto w = workers_.find(l->worker); w != workers_.end())
        self_->send(w->second.session, revoke_job{l->ref(), "cancelled"});
    }
    jobs_.erase(j);
    dispatch();
  }

  void peer_gone(const peer_lost& l) { lost(l.peer, l.why.text, false); }

  void session_down(const caf::down_msg& msg) {
    for (auto& [peer, w] : workers_)
      if (w.session && w.session.address() == msg.source)
        return lost(std::string{peer}, text_of(msg.reason), false);
  }

  void leases_due() {
    after(self_, options_.term / 4, check_leases{});
    for (const auto& l : leases_.expire(self_->clock().now()))
      lost_lease(l, "its lease ran out");
    dispatch();
  }

  void watch(const watch_capacity& w) {
    watchers_.insert(w.name);
    for (const auto& [backend, c] : capacities())
      options_.names->send(w.name, c);
  }

  void workers(const workers_request& r) {
    auto all = nlohmann::ordered_json::array();
    for (const auto& [peer, w] : workers_) {
      if (w.hello.devices.empty() && w.name.empty())
        continue;
      auto devices = nlohmann::ordered_json::array();
      for (const auto& d : w.hello.devices)
        devices.push_back(d.name);
      all.push_back({{"name", w.name}, {"devices", devices}, {"state", w.state}, {"jobs_done", w.jobs_done}});
    }
    r.done(all.dump());
  }

private:
  template <class Message>
  void tell_evaluator(Message m) {
    options_.names->send("evaluator", std::move(m));
  }

  void hello(attached& w, const wire::hello_body& h) {
    w.hello = h;
    w.name = h.name;
    w.state = "ok";
    log::info("fleet", "worker attached",
              {{"worker", h.name}, {"devices", std::to_string(h.devices.size())}});
    auto now = self_->clock().now();
    placement_.worker_up(w.peer, h.devices, h.labels, 0, 0); // credit comes with `ready`
    auto held = h.leases;
    held.insert(held.end(), h.held.begin(), h.held.end());
    auto open = [&](std::uint64_t id) -> const job* {
      auto j = jobs_.find(id);
      return j == jobs_.end() ? nullptr : j->second.what.get();
    };
    std::set<std::uint64_t> revoked;
    for (const auto& r : leases_.adopt(w.peer, held, open, now)) {
      revoked.insert(r.job);
      self_->send(w.session, revoke_job{r, "it is not wanted any more"});
    }
    for (const auto& r : held)
      if (auto j = jobs_.find(r.job); j != jobs_.end() && !revoked.contains(r.job)) {
        placement_.cancel(r.job);
        j->second.attempt = r.attempt;
        placement_.book(r.job, j->second.what->node.campaign, w.peer,
                        h.devices.empty() ? std::string{} : h.devices.front().name);
      }
    tell_capacity();
  }

  void result(attached& w, const std::shared_ptr<const job_result>& r) {
    auto transport = transport_;
    auto peer = w.peer;
    auto acknowledge = [transport, peer, id = r->id, attempt = r->attempt] {
      transport->send(wire::make_frame(peer, frame_kind::ack, wire::ack_body{id, attempt}));
    };
    auto fate = leases_.result(r->id, r->attempt, r->epoch);
    auto j = jobs_.find(r->id);
    if (fate != result_fate::accept || j == jobs_.end()) {
      log::info("fleet", "late result", {{"worker", w.name}, {"job", std::to_string(r->id)}});
      return acknowledge();
    }
    ++w.jobs_done;
    placement_.done(r->id);
    stretches_left_ -=
        trace_job(*j->second.what, w.name, j->second.queued, j->second.granted,
                  trace::time_point::clock::now(), *r, std::min<std::size_t>(stretches_left_, 400));
    if (r->why.kind != failure_kind::none ||
        r->found.ending == ending::harness_error) // the machine's fault: elsewhere first
      j->second.avoid.insert(peer);
    else
      jobs_.erase(j);
    tell_evaluator(job_done{r->id, r, w.name, acknowledge});
    dispatch();
  }

  /// Health as a beat tells it; only changes are news to the campaigns and to waiting jobs.
  void devices_are(attached& w, const std::vector<wire::device_health>& told) {
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

  void enqueue(const open_work& w) {
    placement_request p;
    p.job = w.what->id;
    p.campaign = w.what->node.campaign;
    p.backend = w.what->backend;
    p.device = w.what->device;
    p.priority = w.what->priority;
    p.avoid = w.avoid;
    placement_.enqueue(std::move(p));
  }

  void again(std::uint64_t id, const std::string& avoid) {
    placement_.done(id);
    auto j = jobs_.find(id);
    if (j == jobs_.end())
      return;
    j->second.avoid.insert(avoid);
    enqueue(j->second);
  }

  void dispatch() {
    static auto& waiting = counters::get("fleet.waiting");
    static auto& running = counters::get("fleet.running");
    while (auto p = placement_.next()) {
      auto& w = jobs_.at(p->job);
      w.attempt = std::max(w.attempt, leases_.last_attempt(p->job)) + 1;
      auto granted = *w.what;
      granted.attempt = w.attempt;
      granted.epoch = options_.epoch;
      leases_.grant(granted, p->worker, p->device, self_->clock().now());
      w.granted = trace::time_point::clock::now();
      self_->send(workers_.at(p->worker).session, grant_job{w.what, w.attempt, options_.epoch, p->device});
    }
    waiting = static_cast<std::int64_t>(placement_.waiting());
    running = static_cast<std::int64_t>(placement_.in_flight());
  }

  void lost_lease(const lease& l, const std::string& why) {
    placement_.done(l.job);
    auto j = jobs_.find(l.job);
    if (j == jobs_.end())
      return;
    if (leases_.poisoned(l.node)) {
      leases_.close(l.job);
      jobs_.erase(j);
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

  static std::string out_of_service(const attached& w, const device_info& d) {
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
      for (const auto& name : watchers_)
        options_.names->send(name, c);
    }
  }

  caf::event_based_actor* self_;
  fleet_options options_;
  std::shared_ptr<transport_port> transport_;
  lease_table leases_;
  placement placement_;
  std::map<std::string, attached> workers_; ///< by peer
  std::unordered_map<std::uint64_t, open_work> jobs_;
  std::set<std::string> watchers_, known_backends_;
  std::size_t stretches_left_ = 50'000; ///< of candidates' calls in this session's trace: some megabytes
};

} // namespace

caf::behavior fleet(caf::event_based_actor* self, fleet_options options) {
  keep_exception_text(self);
  auto state = std::make_shared<dispatcher>(self, std::move(options));
  self->set_down_handler([=](caf::down_msg& msg) { state->session_down(msg); });
  return {
      [=](transport_is& t) { state->transport(std::move(t.transport)); },
      [=](frame_in& in) { state->frame(in); },
      [=](const peer_lost& l) { state->peer_gone(l); },
      [=](const worker_said& s) { state->said(s); },
      [=](const submit_job& s) { state->submit(s); },
      [=](const cancel_job& c) { state->cancel(c); },
      [=](const watch_capacity& w) { state->watch(w); },
      [=](const workers_request& r) { state->workers(r); },
      [=](const check_leases&) { state->leases_due(); },
  };
}

} // namespace ke
