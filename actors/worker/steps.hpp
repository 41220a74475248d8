#pragma once

#include "actors/worker/worker_messages.hpp"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>

namespace ke {

/// How a step's process ended; from the step's actor to its starter.
struct step_process_ended {
  assignment_ptr item;
  std::size_t id = 0;
  std::shared_ptr<process_exit> how;
};

/// One step of an evaluation, of any kind: a compiler, a measurement, a transform, a profile, a trace. Runs
/// one process and reports; its exit kills the process.
///
///   -> step_process_ended  to its parent, then it quits
///
/// Supervisor: its starter (builder, device, profiler, self_test), which monitors it; temporary.
caf::behavior evaluation_step(caf::event_based_actor* self, caf::actor parent, process_port* processes,
                              assignment_ptr item, std::shared_ptr<started_step> what);

/// The running steps of one actor. Part of that actor, which passes on `step_process_ended` and its
/// children's `down_msg`.
class step_crew {
public:
  step_crew(caf::event_based_actor* self, process_port* processes) : self_{self}, processes_{processes} {}

  void spawn(const assignment_ptr& item, started_step job) {
    auto name = std::string{to_text(job.kind)} + " " + job.name;
    auto what = std::make_shared<started_step>(std::move(job));
    auto step = self_->spawn(evaluation_step, caf::actor_cast<caf::actor>(self_), processes_, item, what);
    self_->monitor(step);
    running_.emplace(step.address(),
                     member{step, item, what->id, std::move(name), std::chrono::steady_clock::now()});
  }

  /// Enters the end into the evaluation. False: the assignment was cancelled.
  bool ended(const step_process_ended& e) {
    for (auto m = running_.begin(); m != running_.end(); ++m)
      if (m->second.item == e.item && m->second.job == e.id) {
        e.item->ran(std::move(m->second.name), m->second.begun);
        running_.erase(m);
        e.item->steps->ended(e.id, *e.how);
        return true;
      }
    return false;
  }

  /// Assignment and step of an actor that ended without a report; nothing for all others.
  std::optional<std::pair<assignment_ptr, std::size_t>> lost(const caf::down_msg& msg) {
    auto m = running_.find(msg.source);
    if (m == running_.end())
      return std::nullopt;
    std::pair found{std::move(m->second.item), m->second.job};
    running_.erase(m);
    return found;
  }

  /// Ends the steps of one assignment, or of all: kills their processes; no report comes.
  void cancel(const assignment_ptr& item) {
    std::erase_if(running_, [&](auto& m) {
      if (m.second.item != item)
        return false;
      caf::anon_send_exit(m.second.who, caf::exit_reason::user_shutdown);
      return true;
    });
  }
  void cancel_all() {
    for (auto& [address, m] : running_)
      caf::anon_send_exit(m.who, caf::exit_reason::user_shutdown);
    running_.clear();
  }

  std::size_t size() const { return running_.size(); }
  std::size_t size(const assignment_ptr& item) const {
    return static_cast<std::size_t>(
        std::count_if(running_.begin(), running_.end(), [&](auto& m) { return m.second.item == item; }));
  }

private:
  struct member {
    caf::actor who;
    assignment_ptr item;
    std::size_t job = 0;
    std::string name;
    std::chrono::steady_clock::time_point begun;
  };
  caf::event_based_actor* self_;
  process_port* processes_;
  std::map<weak_actor, member> running_;
};

} // namespace ke

KE_MESSAGE(ke::step_process_ended)
