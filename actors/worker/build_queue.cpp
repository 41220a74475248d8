#include "actors/worker/build_queue.hpp"

#include "actors/messages/handlers_of.hpp"
#include "actors/messages/worker_addresses.hpp"
#include "actors/worker/steps.hpp"
#include "runtime/observe/counters.hpp"

#include <list>

namespace ke {
namespace {

class build_queue {
public:
  build_queue(caf::event_based_actor* self, builder_options options)
      : options_{std::move(options)}, crew_{self, options_.processes} {}

  /// The actor has ended, and the compilers with it: nobody has the assignments any more.
  void ended(const caf::error& why) {
    crew_.cancel_all();
    if (!is_normal(why)) // else the worker itself ends
      options_.names->send(addresses::link, assignments_lost{{}, "the builder ended: " + text_of(why)});
  }

  void build(assignment_ptr item) {
    assignments_.push_back({std::move(item)});
    pump();
  }

  void granted(const lock_granted& g) {
    auto w = find([&](const queued_assignment& o) { return holder(o.item) == g.who; });
    if (w == assignments_.end())
      return options_.names->send(addresses::devices, release_lock{g.who}), void();
    w->locked = true;
    w->item->span("wait for a build slot");
    options_.names->send(addresses::link, assignment_stage{w->item->what.id, wire::lease_stage::building});
    pump();
  }

  void job_ended(const step_process_ended& e) {
    if (crew_.ended(e))
      pump();
  }

  void down(const caf::down_msg& msg) {
    auto lost = crew_.lost(msg);
    if (!lost)
      return;
    give_up(find([&](const queued_assignment& o) { return o.item == lost->first; }));
    options_.names->send(
        addresses::link,
        assignment_done{lost->first,
                        {failure_kind::internal, "a build step ended: " + text_of(msg.reason), true},
                        nullptr});
    pump();
  }

  void cancel(const cancel_assignment& c) {
    auto w = find([&](const queued_assignment& o) { return o.item->what.id == c.job; });
    if (w != assignments_.end())
      give_up(w);
    pump();
  }

private:
  struct queued_assignment {
    assignment_ptr item;
    bool asked = false, locked = false;
  };
  using place = std::list<queued_assignment>::iterator;

  template <class Condition>
  place find(Condition is) {
    return std::find_if(assignments_.begin(), assignments_.end(), is);
  }

  static std::string holder(const assignment_ptr& item) {
    return "build " + std::to_string(item->what.id) + "/" + std::to_string(item->what.attempt);
  }

  void give_up(place w) {
    crew_.cancel(w->item);
    if (w->asked)
      options_.names->send(addresses::devices, release_lock{holder(w->item)});
    assignments_.erase(w);
  }

  /// Fills the free slots, the oldest assignment first.
  void pump() {
    static auto& queued = counters::get("worker.builds_waiting");
    std::size_t used = crew_.size();
    std::int64_t waiting = 0;
    for (auto w = assignments_.begin(); w != assignments_.end();) {
      auto here = w++;
      if (here->locked) {
        if (used < options_.slots)
          used += advance(here, options_.slots - used);
      } else if (here->asked || used < options_.slots) {
        ++used; // kept free for it
        if (!std::exchange(here->asked, true))
          options_.names->send(addresses::devices, want_lock{holder(here->item), false});
      } else {
        ++waiting;
      }
    }
    queued = waiting;
  }

  /// Starts at most `most` of the assignment's steps; nothing runs and nothing is left: it is built.
  std::size_t advance(place w, std::size_t most) {
    auto jobs = w->item->steps->ready(job_place::shared, most);
    for (auto& j : jobs)
      crew_.spawn(w->item, std::move(j));
    if (crew_.size(w->item) == 0) {
      auto item = w->item;
      give_up(w);
      item->span("build");
      options_.names->send(addresses::link, assignment_built{item});
    }
    return jobs.size();
  }

  builder_options options_;
  step_crew crew_;
  std::list<queued_assignment> assignments_; ///< in the order in which they came
};

} // namespace

caf::behavior builder(caf::event_based_actor* self, builder_options options) {
  keep_exception_text(self);
  auto state = std::make_shared<build_queue>(self, std::move(options));
  self->attach_functor([state](const caf::error& why) { state->ended(why); });
  self->set_down_handler([=](caf::down_msg& msg) { state->down(msg); });
  handlers_of handlers{
      addresses::builder,
      [=](build_assignment& b) { state->build(std::move(b.item)); },
      [=](const lock_granted& g) { state->granted(g); },
      [=](const step_process_ended& e) { state->job_ended(e); },
      [=](const cancel_assignment& c) { state->cancel(c); },
  };
  return handlers.behavior();
}

} // namespace ke
