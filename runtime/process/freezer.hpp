#pragma once

#include "runtime/core/result.hpp"
#include "runtime/process/unique_fd.hpp"

#include <sys/types.h>

#include <chrono>
#include <cstdint>
#include <vector>

// The judge stops the candidate before it writes inputs and again before it reads outputs, on each call.
// SIGSTOP to every process costs some 20 us; the cgroup v1 freezer 350 us.

namespace ke {

/// Stops and continues a child and all of its descendants, whatever their pid namespace. Their list is kept
/// between calls, as pidfds and open /proc files, so a pid that was freed and taken by a stranger is never
/// touched; each stop looks for new ones. Not thread-safe. When it ends, what it stopped goes on, unless
/// `leave` was called.
class freezer {
public:
  /// `root` is the child as spawn() returned it. `skip_root` leaves that one running: in a sandbox it is the
  /// outer bwrap, which only waits, and not the candidate.
  explicit freezer(pid_t root, bool skip_root = false);
  ~freezer();
  freezer(freezer&&) = delete;

  /// SIGSTOP to all, and the proof: every thread of each was read back as stopped (or dead) and then no
  /// process was new. Fails with `device` if that does not hold within `patience` (a candidate that forks
  /// without end, or hangs in a driver): kill it then. A thread stops when it next gets a processor, so a
  /// crowd on few cores takes milliseconds.
  status stop(std::chrono::nanoseconds patience = std::chrono::seconds{2});
  /// Whether all have stayed stopped since `stop`: still stopped, and no thread was given a processor in
  /// between. A candidate may have asked the kernel for a SIGCONT at a later time (the seccomp filter refuses
  /// the ways that we know), so ask after the last read of its memory.
  bool held();
  /// SIGCONT to all that were stopped.
  void resume();

  /// Walks the descendants without stopping them; not for as long as they fork without end.
  void find_all();
  /// What is stopped stays so when this object ends.
  void leave() { stopped_ = false; }

  std::vector<pid_t> members() const;
  /// User and system time of the members that live, in seconds with the kernel's nanoseconds, their ended
  /// threads included.
  double cpu_seconds() const;

private:
  struct thread {
    pid_t id;
    unique_fd stat;
    unique_fd schedule;     ///< how often it was given a processor; empty on kernels that do not count
    unique_fd children;     ///< empty on kernels that do not list them
    std::uint64_t runs = 0; ///< at the last stop
  };
  struct member {
    pid_t pid;
    unique_fd handle;
    unique_fd tasks; ///< the folder /proc/PID/task
    std::vector<thread> threads;
  };

  static bool alive(const member& m);
  bool add(pid_t pid);
  bool halted(member& m);
  bool refresh_threads(member& m);
  bool find_new();
  void send(int signal);

  pid_t root_;
  bool skip_root_;
  bool stopped_ = false;
  std::vector<member> members_;
};

/// Once, for occasional use: stops the descendants of `root` and itself, proven as above, and leaves them so.
status stop_group(pid_t root);
/// SIGCONT to `root` and its descendants.
void continue_group(pid_t root);

} // namespace ke
