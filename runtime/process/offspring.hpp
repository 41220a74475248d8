#pragma once

#include <sys/types.h>

#include <mutex>
#include <unordered_set>

namespace ke {

/// The children of this process started by spawn() and not yet reaped. One table per process: pids are the
/// process's, and a sweep must know all. Locked while a child starts, so that a sweep never sees an unlisted
/// one.
struct offspring {
  std::mutex mutex;
  std::unordered_set<pid_t> alive;

  static offspring& of_this_process();
};

} // namespace ke
