#include "actors/worker/devices.hpp"

#include "actors/messages/handlers_of.hpp"
#include "actors/messages/worker_addresses.hpp"
#include "actors/worker/self_test.hpp"
#include "actors/worker/steps.hpp"
#include "runtime/core/evidence.hpp"
#include "runtime/fleet/machine_lock.hpp"
#include "runtime/observe/log.hpp"

#include <deque>
#include <map>

namespace ke {

struct probe_device {
  std::string name;
};
struct test_device {
  std::string name;
};
} // namespace ke

KE_MESSAGE(ke::probe_device)
KE_MESSAGE(ke::test_device)

namespace ke {

caf::behavior profiler(caf::event_based_actor* self, caf::actor device, process_port* processes) {
  keep_exception_text(self);
  struct state {
    step_crew crew;
    assignment_ptr current;
  };
  auto s = std::make_shared<state>(state{{self, processes}, nullptr});
  auto go_on = [=] { // one at a time: tools that count must not disturb one another
    auto jobs = s->current->steps->ready(job_place::device, 1);
    if (jobs.empty())
      self->send(device, assignment_profiled{std::exchange(s->current, nullptr)});
    else
      s->crew.spawn(s->current, std::move(jobs[0]));
  };
  self->attach_functor([s](const caf::error&) { s->crew.cancel_all(); });
  self->set_down_handler([=](caf::down_msg& msg) {
    auto lost = s->crew.lost(msg);
    if (!lost)
      return;
    process_exit how; // as a tool that could not be started: the evidence stays as it is
    how.why = {failure_kind::internal, "a profile ended: " + text_of(msg.reason), false};
    lost->first->steps->ended(lost->second, how);
    go_on();
  });
  return {
      [=](profile_assignment& w) {
        s->crew.cancel_all(); // of an assignment that was cancelled
        s->current = std::move(w.item);
        s->crew.spawn(s->current, std::move(*w.first));
      },
      [=](const step_process_ended& e) {
        if (s->crew.ended(e))
          go_on();
      },
      [=](const cancel_assignment&) {
        s->crew.cancel_all();
        s->current = nullptr;
      },
  };
}

namespace {

class lane {
public:
  lane(caf::event_based_actor* self, device_info what, caf::actor parent, std::shared_ptr<directory> names,
       process_port* processes)
      : self_{self}, what_{std::move(what)}, parent_{std::move(parent)}, names_{std::move(names)},
        crew_{self, processes} {
    profiler_ = self_->spawn(profiler, caf::actor_cast<caf::actor>(self_), processes);
    self_->monitor(profiler_);
  }

  /// The actor has ended: so do those that only it knows.
  void ended() {
    crew_.cancel_all();
    caf::anon_send_exit(profiler_, caf::exit_reason::user_shutdown);
  }

  void take(assignment_ptr item) {
    waiting_.push_back(std::move(item));
    pump();
  }

  void granted() {
    if (waiting_.empty()) {
      asked_ = false;
      return self_->send(parent_, release_lock{what_.name});
    }
    current_ = std::move(waiting_.front());
    waiting_.pop_front();
    current_->span("wait for the device");
    names_->send(addresses::link, assignment_stage{current_->what.id, wire::lease_stage::measuring});
    go_on();
  }

  void job_ended(const step_process_ended& e) {
    if (!crew_.ended(e))
      return;
    current_->span("measure");
    go_on();
  }

  void profiled(const assignment_profiled& w) {
    if (w.item != current_)
      return;
    current_->span("profile");
    finish();
  }

  void down(const caf::down_msg& msg) {
    if (msg.source == profiler_.address())
      return self_->quit(caf::make_error(caf::sec::runtime_error, "profiler: " + text_of(msg.reason)));
    if (crew_.lost(msg))
      self_->quit(caf::make_error(caf::sec::runtime_error, "measure: " + text_of(msg.reason)));
  }

  void cancel(std::uint64_t job) {
    std::erase_if(waiting_, [&](const assignment_ptr& w) { return w->what.id == job; });
    if (!current_ || current_->what.id != job)
      return;
    crew_.cancel(current_);
    self_->send(profiler_, cancel_assignment{job});
    next();
  }

private:
  void pump() {
    if (asked_ || waiting_.empty())
      return;
    asked_ = true;
    self_->send(parent_, want_lock{what_.name, true});
  }
  /// The next measurement, else what is left to the profiler.
  void go_on() {
    auto jobs = current_->steps->ready(job_place::device, 1);
    if (jobs.empty())
      return finish();
    if (jobs[0].kind == job_kind::measure)
      return crew_.spawn(current_, std::move(jobs[0]));
    self_->send(profiler_, profile_assignment{current_, std::make_shared<started_step>(std::move(jobs[0]))});
  }
  void finish() {
    auto found = current_->steps->finish();
    names_->send(addresses::link,
                 found ? assignment_done{current_, {}, std::make_shared<evidence>(std::move(*found))}
                       : assignment_done{current_, found.error(), nullptr});
    next();
  }
  void next() {
    current_ = nullptr;
    asked_ = false;
    self_->send(parent_, release_lock{what_.name});
    pump();
  }

  caf::event_based_actor* self_;
  device_info what_;
  caf::actor parent_;
  std::shared_ptr<directory> names_;
  step_crew crew_;
  caf::actor profiler_;
  std::deque<assignment_ptr> waiting_;
  assignment_ptr current_;
  bool asked_ = false;
};

class rack {
public:
  rack(caf::event_based_actor* self, devices_options options) : self_{self}, options_{std::move(options)} {
    for (const auto& d : options_.devices)
      if (!slots_.contains(d.name)) // one device may serve several backends
        start(slots_.try_emplace(d.name, slot{d, restart_window{options_.restarts}}).first->second);
  }

  /// The actor has ended: so do its devices.
  void ended(const caf::error& why) {
    if (!is_normal(why)) // else the worker itself ends
      options_.names->send(addresses::link,
                           assignments_lost{{}, "the devices' actor ended: " + text_of(why), true});
    for (auto& [name, s] : slots_)
      if (s.handle)
        caf::anon_send_exit(s.handle, caf::exit_reason::user_shutdown);
    if (tester_)
      caf::anon_send_exit(tester_, caf::exit_reason::user_shutdown);
  }

  void take(measure_assignment& m) {
    auto s = slots_.find(m.item->device);
    if (s == slots_.end() && !slots_.empty())
      s = slots_.begin();
    if (s == slots_.end() || !s->second.handle)
      return options_.names->send(
                 addresses::link,
                 assignment_done{m.item, {failure_kind::device, "the device is quarantined", true}, nullptr}),
             void();
    if (s->second.suspected)
      s->second.held.push_back(std::move(m)); // it ran on while the doubt arose: the self-test says where to
    else
      self_->send(s->second.handle, std::move(m));
  }

  void cancel(const cancel_assignment& c) {
    for (auto& [name, s] : slots_) {
      std::erase_if(s.held, [&](const measure_assignment& m) { return m.item->what.id == c.job; });
      if (s.handle)
        self_->send(s.handle, c);
    }
  }

  void tell(const std::vector<std::string>& who) {
    for (const auto& name : who)
      if (name == tester) {
        begin_test();
      } else if (auto s = slots_.find(name); s != slots_.end()) {
        if (s->second.handle)
          self_->send(s->second.handle, lock_granted{name});
        else
          tell(lock_.release(name));
      } else {
        options_.names->send(addresses::builder, lock_granted{name});
      }
  }
  void want(const want_lock& w) { tell(lock_.want(w.who, w.alone)); }
  void release(const release_lock& r) { tell(lock_.release(r.who)); }

  void suspect(const suspect_device& d) {
    auto s = slots_.find(d.device);
    if (s == slots_.end() || s->second.suspected || s->second.quarantined)
      return;
    if (!options_.self_test)
      return options_.names->send(addresses::link, device_state_changed{d.device, "ok", {}}), void();
    log::warn("devices", "device under suspicion: evaluations fail through no fault of the candidates",
              {{"device", d.device}, {"why", d.reason}});
    s->second.suspected = true;
    options_.names->send(addresses::link, device_state_changed{d.device, "quarantined", d.reason});
    test({d.device});
  }

  /// One self-test at a time, alone on the machine.
  void test(const test_device& t) {
    to_test_.push_back(t.name);
    if (to_test_.size() == 1)
      tell(lock_.want(tester, true));
  }

  void tested(const self_tested& t) {
    tester_ = nullptr;
    auto& s = slots_.at(t.device);
    to_test_.pop_front();
    tell(lock_.release(tester));
    if (!to_test_.empty())
      tell(lock_.want(tester, true));
    auto held = std::exchange(s.held, {});
    if (t.complaint.empty()) {
      log::info("devices", "device passed its self-test", {{"device", t.device}});
      s.suspected = false;
      s.tests_failed = 0;
      if (!s.quarantined)
        options_.names->send(addresses::link, device_state_changed{t.device, "ok", {}});
      for (auto& m : held)
        take(m);
      return;
    }
    auto pause = std::min(options_.test_again * (1 << std::min(s.tests_failed++, 16)), options_.probe_again);
    log::error(
        "devices", "device quarantined: it failed its self-test",
        {{"device", t.device},
         {"why", t.complaint},
         {"again_in_s", std::to_string(std::chrono::duration_cast<std::chrono::seconds>(pause).count())}});
    options_.names->send(addresses::link, device_state_changed{t.device, "quarantined", t.complaint});
    for (auto& m : held) // another machine may have it
      options_.names->send(addresses::link,
                           assignment_done{m.item, {failure_kind::device, t.complaint, true}, nullptr});
    after(self_, pause, test_device{t.device});
  }

  void down(const caf::down_msg& msg) {
    if (tester_ && tester_.address() == msg.source) {
      if (!is_normal(msg.reason))
        tested({to_test_.front(), "the self-test itself failed: " + text_of(msg.reason)});
      return;
    }
    for (auto& [name, s] : slots_) {
      if (!s.handle || s.handle.address() != msg.source)
        continue;
      s.handle = nullptr;
      // Those in its mailbox, too.
      options_.names->send(addresses::link,
                           assignments_lost{name, "the device's actor ended: " + text_of(msg.reason)});
      tell(lock_.release(name));
      if (auto delay = s.window.fail(self_->clock().now())) {
        after(self_, *delay, probe_device{name});
        continue;
      }
      log::error("devices", "device quarantined", {{"device", name}, {"why", text_of(msg.reason)}});
      options_.names->send(addresses::link, device_state_changed{name, "quarantined", text_of(msg.reason)});
      s.quarantined = true;
      after(self_, options_.probe_again, probe_device{name});
    }
  }

  void probe(const probe_device& p) {
    auto& s = slots_.at(p.name);
    if (s.handle)
      return;
    start(s);
    if (std::exchange(s.quarantined, false) && !s.suspected)
      options_.names->send(addresses::link, device_state_changed{p.name, "ok", {}});
  }

private:
  struct slot {
    device_info what;
    restart_window window;
    caf::actor handle{};
    bool quarantined = false;              ///< its actor failed too often
    bool suspected = false;                ///< until it passes a self-test
    int tests_failed = 0;                  ///< in a row
    std::deque<measure_assignment> held{}; ///< came while it was suspected
  };
  static constexpr auto tester = "self-test";

  void begin_test() {
    auto& s = slots_.at(to_test_.front());
    tester_ = self_->spawn(self_test, caf::actor_cast<caf::actor>(self_), options_.processes, s.what.name,
                           options_.self_test(s.what));
    self_->monitor(tester_);
  }

  void start(slot& s) {
    s.handle =
        self_->spawn(device, s.what, caf::actor_cast<caf::actor>(self_), options_.names, options_.processes);
    self_->monitor(s.handle);
  }

  caf::event_based_actor* self_;
  devices_options options_;
  std::map<std::string, slot> slots_;
  machine_lock lock_;
  std::deque<std::string> to_test_; ///< the first has the lock, or waits for it
  caf::actor tester_;
};

} // namespace

caf::behavior device(caf::event_based_actor* self, device_info what, caf::actor parent,
                     std::shared_ptr<directory> names, process_port* processes) {
  keep_exception_text(self);
  auto state = std::make_shared<lane>(self, std::move(what), std::move(parent), std::move(names), processes);
  self->attach_functor([state](const caf::error&) { state->ended(); });
  self->set_down_handler([=](caf::down_msg& msg) { state->down(msg); });
  return {
      [=](measure_assignment& m) { state->take(std::move(m.item)); },
      [=](const lock_granted&) { state->granted(); },
      [=](const step_process_ended& e) { state->job_ended(e); },
      [=](const assignment_profiled& w) { state->profiled(w); },
      [=](const cancel_assignment& c) { state->cancel(c.job); },
  };
}

caf::behavior devices(caf::event_based_actor* self, devices_options options) {
  keep_exception_text(self);
  auto state = std::make_shared<rack>(self, std::move(options));
  self->attach_functor([state](const caf::error& why) { state->ended(why); });
  self->set_down_handler([=](caf::down_msg& msg) { state->down(msg); });
  handlers_of handlers{
      addresses::devices,
      [=](measure_assignment& m) { state->take(m); },
      [=](const cancel_assignment& c) { state->cancel(c); },
      [=](const want_lock& w) { state->want(w); },
      [=](const release_lock& r) { state->release(r); },
      [=](const probe_device& p) { state->probe(p); },
      [=](const suspect_device& d) { state->suspect(d); },
      [=](const test_device& t) { state->test(t); },
      [=](const self_tested& t) { state->tested(t); },
  };
  return handlers.behavior();
}

} // namespace ke
