#pragma once

#include "actors/worker/worker_messages.hpp"

#include <utility>

namespace ke {

/// Drives a work's steps, one child process at a time, without blocking: the shared part of compile_job and
/// measure. Belongs to one actor, which passes on every `child_exited`.
class step_runner {
public:
  step_runner(caf::event_based_actor* self, process_port* processes, work_ptr item)
      : self_{self}, processes_{processes}, item_{std::move(item)} {}

  /// Starts the next process if it belongs to `phase`; else keeps it for whoever drives on. False: nothing
  /// was started.
  bool start(const std::string& phase) {
    auto spec = item_->next ? std::exchange(item_->next, std::nullopt) : item_->steps->next();
    if (!spec)
      return false;
    if (item_->steps->phase() != phase) {
      item_->next = std::move(spec);
      return false;
    }
    auto me = weak(self_);
    running_ = processes_->run(std::move(*spec), [me](process_exit how) {
      send_weak(me, child_exited{std::make_shared<process_exit>(std::move(how))});
    });
    return true;
  }

  void ended(const child_exited& e) {
    running_ = 0;
    item_->steps->ended(*e.how);
  }

  void cancel() {
    if (running_)
      processes_->cancel(running_);
  }

  const work_ptr& item() const { return item_; }

private:
  caf::event_based_actor* self_;
  process_port* processes_;
  work_ptr item_;
  std::uint64_t running_ = 0;
};

} // namespace ke
