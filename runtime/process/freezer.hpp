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

/// Stops and continues a child and all its descendants, in any pid namespace. Keeps their list between calls,
/// as pidfds and open /proc files, so a reused pid is never touched; each stop looks for new ones. Not
/// thread-safe. The destructor continues what was stopped.
class freezer {
public:
  /// `root` is the child of spawn(). `skip_root` leaves it running: in a sandbox it is the outer bwrap, which
  /// only waits.
  explicit freezer(pid_t root, bool skip_root = false);
  ~freezer();
  freezer(freezer&&) = delete;

  /// SIGSTOP to all, with proof: every thread was read back as stopped (or dead), and no process was new
  /// after that. `device` if this does not hold within `patience` (a candidate forks without end, or hangs in
  /// a driver): kill it then. A thread stops when it next gets a processor, so a crowd on few cores takes
  /// milliseconds.
  status stop(std::chrono::nanoseconds patience = std::chrono::seconds{2});
  /// Whether all have stayed stopped since `stop`: no thread got a processor in between. A candidate may have
  /// scheduled a SIGCONT (the seccomp filter refuses the known ways), so ask after the last read of its
  /// memory.
  bool held();
  /// SIGCONT to all stopped ones.
  void resume();

  /// Finds the descendants without stopping them; incomplete while they fork without end.
  void find_all();

  std::vector<pid_t> members() const;
  /// User and system time of the living members, their ended threads included, in seconds with the kernel's
  /// nanoseconds.
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

} // namespace ke
