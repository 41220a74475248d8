#pragma once

#include "runtime/process/process_port.hpp"

#include <cstdint>
#include <functional>
#include <mutex>
#include <set>
#include <utility>

namespace ke::cli {

/// Processes that a signal ends: kills running ones, starts no more.
class stoppable_processes : public process_port {
public:
  explicit stoppable_processes(process_port& below) : below_{below} {}

  std::uint64_t run(process_spec spec, std::function<void(process_exit)> done) override {
    std::unique_lock lock{mutex_};
    if (stopped_) {
      lock.unlock();
      process_exit how;
      how.cancelled = true;
      done(std::move(how));
      return 0;
    }
    auto id = below_.run(std::move(spec), std::move(done));
    started_.insert(id);
    return id;
  }
  void cancel(std::uint64_t id) override { below_.cancel(id); }
  void terminate(std::uint64_t id) override { below_.terminate(id); }

  void stop() {
    std::lock_guard lock{mutex_};
    stopped_ = true;
    for (auto id : started_)
      below_.cancel(id); // those that have ended are ignored
  }
  bool stopped() const {
    std::lock_guard lock{mutex_};
    return stopped_;
  }

private:
  process_port& below_;
  mutable std::mutex mutex_;
  std::set<std::uint64_t> started_;
  bool stopped_ = false;
};

} // namespace ke::cli
