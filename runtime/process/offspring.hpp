#pragma once

#include <sys/types.h>

#include <mutex>
#include <unordered_set>

namespace ke {

/// The children of this process that spawn() started and nobody has reaped: one table per process, since pids
/// are the process's and a sweep must know all of them. Locked across the start of a child, so that a sweep
/// never sees one that is not yet listed.
struct offspring {
  std::mutex mutex;
  std::unordered_set<pid_t> alive;

  static offspring& of_this_process();
};

} // namespace ke
