#pragma once

#include "actors/supervision/caf.hpp"

#include <caf/scheduler/test_coordinator.hpp>

namespace ke::test {

/// An actor system whose time stands still until a test moves it.
struct virtual_time {
  struct config : caf::actor_system_config {
    config() { set("scheduler.policy", caf::atom("testing")); }
  } settings;
  caf::actor_system system{settings};
  caf::scheduler::test_coordinator& time =
      dynamic_cast<caf::scheduler::test_coordinator&>(system.scheduler());

  virtual_time() { system.await_actors_before_shutdown(false); }

  void settle() { // test_coordinator::run() would fire timers, too
    while (time.try_run_once()) {
    }
  }
  void pass(std::chrono::nanoseconds span) {
    time.advance_time(caf::timespan{span});
    settle();
  }
};

} // namespace ke::test
