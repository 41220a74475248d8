#include "actors/worker/builder.hpp"

#include "actors/worker/steps.hpp"
#include "runtime/core/counters.hpp"

#include <deque>
#include <map>

namespace ke {

caf::behavior compile_job(caf::event_based_actor* self, caf::actor builder, process_port* processes,
                          work_ptr item) {
  keep_exception_text(self);
  auto steps = std::make_shared<step_runner>(self, processes, item);
  self->set_exit_handler([=](caf::exit_msg& msg) {
    steps->cancel();
    self->quit(std::move(msg.reason));
  });
  auto go_on = [=] {
    if (steps->start("building"))
      return;
    item->hop("build");
    self->send(builder, work_built{item});
    self->quit();
  };
  item->hop("wait for a build slot");
  self->send(self, begin_steps{});
  return {
      [=](const begin_steps&) { go_on(); },
      [=](const child_exited& e) {
        steps->ended(e);
        go_on();
      },
  };
}

namespace {

class workshop {
public:
  workshop(caf::event_based_actor* self, builder_options options)
      : self_{self}, options_{std::move(options)} {}

  /// The actor has ended: so do its compilers.
  void ended() {
    for (auto& [address, r] : running_)
      caf::anon_send_exit(r.first, caf::exit_reason::user_shutdown);
  }

  void build(work_ptr item) {
    waiting_.push_back(std::move(item));
    pump();
  }

  void granted(const lock_granted& g) {
    auto w = asking_.find(g.who);
    if (w == asking_.end())
      return options_.names->send("devices", release_lock{g.who}), void();
    auto item = std::move(w->second);
    asking_.erase(w);
    auto job = self_->spawn(compile_job, caf::actor_cast<caf::actor>(self_), options_.processes, item);
    self_->monitor(job);
    running_.emplace(job.address(), std::pair{job, item});
    options_.names->send("link", work_stage{item->what.id, wire::lease_stage::building});
  }

  void built(const work_built& b) {
    for (auto& [address, r] : running_)
      if (r.second == b.item) {
        release(b.item);
        r.second = nullptr;
        break;
      }
    options_.names->send("link", b);
    pump();
  }

  void down(const caf::down_msg& msg) {
    auto r = running_.find(msg.source);
    if (r == running_.end())
      return;
    auto item = std::move(r->second.second);
    running_.erase(r);
    if (item) {
      release(item);
      options_.names->send(
          "link", work_done{item,
                            {failure_kind::internal, "compile_job ended: " + text_of(msg.reason), true},
                            nullptr});
    }
    pump();
  }

  void cancel(const cancel_work& c) {
    std::erase_if(waiting_, [&](const work_ptr& w) { return w->what.id == c.job; });
    for (auto w = asking_.begin(); w != asking_.end(); ++w)
      if (w->second->what.id == c.job) {
        options_.names->send("devices", release_lock{w->first});
        asking_.erase(w);
        break;
      }
    for (auto& [address, r] : running_)
      if (r.second && r.second->what.id == c.job) {
        release(r.second);
        r.second = nullptr;
        self_->send_exit(r.first, caf::exit_reason::user_shutdown);
      }
    pump();
  }

private:
  static std::string holder(const work_ptr& item) {
    return "build " + std::to_string(item->what.id) + "/" + std::to_string(item->what.attempt);
  }
  void release(const work_ptr& item) { options_.names->send("devices", release_lock{holder(item)}); }

  void pump() {
    static auto& queued = counters::get("worker.builds_waiting");
    while (!waiting_.empty() && asking_.size() + running_.size() < options_.slots) {
      auto item = std::move(waiting_.front());
      waiting_.pop_front();
      auto who = holder(item);
      asking_[who] = std::move(item);
      options_.names->send("devices", want_lock{who, false});
    }
    queued = static_cast<std::int64_t>(waiting_.size());
  }

  caf::event_based_actor* self_;
  builder_options options_;
  std::deque<work_ptr> waiting_;
  std::map<std::string, work_ptr> asking_; ///< by lock name
  std::map<weak_actor, std::pair<caf::actor, work_ptr>> running_;
};

} // namespace

caf::behavior builder(caf::event_based_actor* self, builder_options options) {
  keep_exception_text(self);
  auto state = std::make_shared<workshop>(self, std::move(options));
  self->attach_functor([state](const caf::error&) { state->ended(); });
  self->set_down_handler([=](caf::down_msg& msg) { state->down(msg); });
  return {
      [=](build_work& b) { state->build(std::move(b.item)); },
      [=](const lock_granted& g) { state->granted(g); },
      [=](const work_built& b) { state->built(b); },
      [=](const cancel_work& c) { state->cancel(c); },
  };
}

} // namespace ke
