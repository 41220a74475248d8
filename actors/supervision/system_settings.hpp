#pragma once

#include "actors/supervision/caf.hpp"

namespace ke {

/// CAF with this many threads. They share one queue: stealing burns CPU while idle, which disturbs
/// measurements.
struct system_settings : caf::actor_system_config {
  explicit system_settings(unsigned threads) {
    set("scheduler.policy", caf::atom("sharing"));
    set("scheduler.max-threads", threads);
  }
};

} // namespace ke
