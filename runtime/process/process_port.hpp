#pragma once

#include "runtime/core/result.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ke {

/// A child process to run to its end, in a process group and session of its own; all descriptors but 0, 1, 2
/// and `pass_fds` are closed.
struct process_spec {
  std::vector<std::string> argv;          ///< argv[0] is looked up in PATH unless it has a slash
  std::map<std::string, std::string> env; ///< the whole environment, nothing is inherited
  std::string directory;                  ///< empty: the caller's
  std::string input;                      ///< written to stdin, then closed
  /// Wall time until SIGKILL of the whole group and all descendants; zero: none.
  std::chrono::nanoseconds deadline{};
  std::uint64_t output_limit = 1u << 20; ///< per stream; what follows is read and dropped
  std::uint64_t memory_bytes = 0;        ///< RLIMIT_AS; 0: none
  std::uint64_t cpu_s = 0;               ///< RLIMIT_CPU; 0: none
  std::uint64_t file_bytes = 0;          ///< RLIMIT_FSIZE; 0: none
  /// (our descriptor, number in the child); ours stay open and are the caller's.
  std::vector<std::pair<int, int>> pass_fds;
  std::function<void(std::string_view)> on_output; ///< optional, on the process thread, stdout as it arrives
  /// Stdin stays open after `input` until the child ends (a long-lived child's lifeline).
  bool keep_input_open = false;
  /// RLIMIT_NPROC, processes and threads of the child's user; 0: none. Root is not bound by it.
  std::uint32_t processes = 0;
  /// RLIMIT_NOFILE of the child, also with few queued signals and no message queues; 0: ours. For programs
  /// that run foreign code.
  std::uint32_t descriptors = 0;
  /// Become this user and group, without others, before exec (needs root); 0: stay.
  std::uint32_t outer_uid = 0;
  int cgroup = -1; ///< descriptor of a control group's cgroup.procs, which the child enters; ours
  /// Released when the child has ended: what a sandbox lends to it (descriptors, a cgroup).
  std::shared_ptr<void> keeps;
};

struct process_exit {
  std::uint64_t id = 0;
  failure why;            ///< kind none unless the child could not be started (missing executable: `missing`)
  int code = -1;          ///< exit code, or -1
  int signal = 0;         ///< terminating signal, or 0
  bool timed_out = false; ///< we killed it at its deadline
  bool cancelled = false; ///< we killed it on request
  bool output_cut = false;
  std::string out;
  std::string err;
  double seconds = 0;     ///< wall
  double cpu_seconds = 0; ///< user + system of the child and the descendants it waited for
};

/// Starts children and waits for them on one thread of its own. Functions do not block; any thread.
class process_port {
public:
  virtual ~process_port() = default;
  /// Calls `done` exactly once, on the process thread; it must not block (actors send themselves a message).
  virtual std::uint64_t run(process_spec spec, std::function<void(process_exit)> done) = 0;
  /// Kills the group and all descendants; `done` still follows. Unknown ids are ignored.
  virtual void cancel(std::uint64_t id) = 0;
  /// SIGTERM to the child alone (a worker drains). Unknown ids are ignored.
  virtual void terminate(std::uint64_t id) = 0;
};

} // namespace ke
