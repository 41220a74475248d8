#pragma once

#include "backends/judge/driver_wire.hpp"
#include "backends/judge/drivers/device_page.hpp"
#include "backends/judge/drivers/driver_process.hpp"
#include "backends/judge/kernel_holdings.hpp"
#include "backends/judge/memory_trend.hpp"
#include "backends/judge/order_pipe.hpp"
#include "backends/judge/process_memory.hpp"
#include "backends/judge/process_words.hpp"
#include "backends/judge/warm_fork.hpp"
#include "runtime/process/freezer.hpp"
#include "runtime/process/memory_cgroup.hpp"
#include "runtime/process/sandbox.hpp"
#include "runtime/process/spawn.hpp"

#include <fcntl.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ke {

inline double driver_now_ns() {
  return std::chrono::duration<double, std::nano>{std::chrono::steady_clock::now().time_since_epoch()}
      .count();
}

/// Of driver_process.cpp and device_requests.cpp alone.
struct driver_process::state {
  driver_start how;
  std::optional<memory_cgroup> together; ///< goes last: it can't be removed before its members have ended
  unique_fd done;
  order_pipe go;
  std::optional<device_page> page; ///< of a device's driver: its orders and answers
  unique_fd inside, pages; ///< its own memory, and what its pages are; opened before it runs anything foreign
  child process;
  std::optional<warm_fork> forked; ///< then `process` is its, and not a child of ours
  std::optional<freezer> group;
  std::string log;
  std::uint64_t sequence = 0;
  std::uint64_t most_memory = 0;
  std::uint64_t base_memory = 0;     ///< address space that it was born with
  std::uint64_t base_own = 0;        ///< memory of its own that it was born with
  bool together_full = false;        ///< it and its children have taken more than one may
  int samples_full = 0;              ///< looks in a row at which its memory was full
  std::vector<std::uint64_t> in_use; ///< bytes of its own at each look of this wait
  double next_sample_ns = 0;         ///< when its memory is looked at again
  kernel_holdings holdings;
  double next_holdings_ns = 0; ///< when what it holds is looked at again
  bool dead = false;
  std::shared_ptr<awake_processor> before; ///< who gives way as the process is continued; null: nobody
  bool awake = false;                      ///< a device's driver goes on between its requests
  bool writable = false;                   ///< `inside` is, too
  bool boxed = false;                      ///< the child is the sandbox's launcher, not the driver
  bool begun = false;                      ///< the driver has said that it runs
  bool confined = false;                   ///< once it is loaded it may make no code

  /// An order that was answered and is not closed yet.
  struct {
    wire::done message;
    double start = 0, end = 0, cpu_before = 0, cpu_done = 0;
  } open;

  ~state() { end_process(); }

  /// Kills and collects; the freezer must go first, it may not outlive the reaping.
  ke::child_end end_process() {
    ke::child_end how_it_ended;
    if (!dead && process.pid > 0) {
      if (group)
        group->resume();
      group.reset();
      how_it_ended = forked ? forked->kill() : kill_tree(process);
      drain();
    }
    holdings.close();
    dead = true;
    return how_it_ended;
  }

  void drain() {
    for (auto* pipe : {&process.out, &process.err}) {
      char buffer[4096];
      // Not for as long as there is something: who writes without end would keep us from the deadline.
      for (int reads = 0; reads < 32; ++reads) {
        auto n = *pipe ? read(pipe->get(), buffer, sizeof buffer) : 0;
        if (n > 0 && log.size() < how.log_bytes)
          log.append(buffer, std::min<std::size_t>(static_cast<std::size_t>(n), how.log_bytes - log.size()));
        if (n == 0)
          pipe->reset(); // closed: a descriptor at its end would keep poll awake
        if (n <= 0)
          break;
      }
    }
  }

  /// What a Python driver says at last about an exception: a candidate's text.
  std::string last_line() const {
    auto end = log.find_last_not_of('\n');
    auto line = log.substr(0, end == log.npos ? 0 : end + 1);
    line = line.substr(line.rfind('\n') + 1).substr(0, 400);
    // No orders for the reader's terminal.
    std::replace_if(line.begin(), line.end(), [](unsigned char c) { return c < ' ' || c == 0x7f; }, '?');
    return line;
  }

  /// Looks at its memory every 20 ms. True: it has taken all that it may and uses it, so that no call of it
  /// can come to a good end (some go on and on asking for more).
  bool memory_is_full() {
    if (!group || driver_now_ns() < next_sample_ns)
      return false;
    next_sample_ns = driver_now_ns() + 20e6;
    bool full = false;
    std::uint64_t own = 0;
    if (forked)
      group->find_all(); // its children count as well
    auto members = group->members();
    for (auto pid : members) {
      auto use = memory_of(pid);
      own += use.own - std::min(use.own, base_own);
      most_memory = std::max(most_memory, use.space);
      full = full ||
             (use.space > base_memory + most_space() / 100 * 95 && use.own > how.memory_bytes / 100 * 75);
    }
    // A child's pages look like its own until somebody asks who else has them, which costs a walk over all.
    if (members.size() > 1 && own > how.memory_bytes && !full) {
      std::uint64_t together = 0;
      for (auto pid : members)
        together += proportional_memory_of(pid);
      together_full = together > how.memory_bytes + base_own;
      full = together_full;
    }
    in_use.push_back(own);
    samples_full = full ? samples_full + 1 : 0;
    return samples_full >= 3;
  }

  /// Takes hold of what the candidate will be able to fill; nothing of it runs yet.
  void watch_holdings() {
    group->find_all();
    for (auto pid : group->members())
      holdings.open(pid);
  }

  /// Looks every 20 ms, and `now`, at what its processes hold of the kernel: the limit that they have
  /// reached, in words.
  std::string held_too_much(bool now = false) {
    if (!begun || !group || (!now && driver_now_ns() < next_holdings_ns))
      return {};
    next_holdings_ns = driver_now_ns() + 20e6;
    return holdings.over(group->members(), how.descriptors, how.inodes);
  }

  /// Address space that it may take: a device's driver library reserves much that it never uses.
  std::uint64_t most_space() const {
    auto own = how.device ? std::max(how.memory_bytes, how.device->address_bytes) : how.memory_bytes;
    return own + (how.device ? how.device->arena_bytes : how.memory);
  }

  bool memory_was_full() const { return most_memory > base_memory + most_space() / 10 * 8; }

  std::string memory_limit() const {
    return std::string{"the candidate"} + (together_full ? " and its processes" : "") +
           " reached its memory limit of " + std::to_string(how.memory_bytes >> 20) + " MiB";
  }

  /// The child has died by itself, or must now: what that says about the candidate.
  call_outcome died() {
    call_outcome out;
    std::optional<ke::child_end> natural =
        forked ? forked->ended(std::chrono::seconds{2}) : reap(process, std::chrono::seconds{5});
    int code = natural ? natural->code : -1, signal = natural ? natural->signal : 0;
    if (natural) {
      group.reset();
      drain();
      dead = true;
    } else {
      end_process();
    }
    sweep_orphans();
    if (!natural) {
      out.end = call_end::crashed;
      out.why = "the process closed its channel to the judge";
      return out;
    }
    if (auto machine = trouble_of_machine(code, signal); !machine.empty()) {
      out.end = call_end::machine;
      out.why = std::move(machine);
      return out;
    }
    if (code > 128 && boxed) { // the sandbox reports its child's signal so
      signal = code - 128;
      code = -1;
    }
    name_end(out, code, signal);
    return out;
  }

  /// Why the driver never ran, if it didn't: nothing of the candidate did either.
  std::string trouble_of_machine(int code, int signal) const {
    auto first_line = log.substr(0, log.find('\n'));
    bool sandbox = code == 1 && boxed && !begun && log.starts_with("bwrap: ");
    if (auto why = forked ? forked->trouble() : std::string{}; sandbox || !why.empty())
      return "the sandbox can't be set up: " + (why.empty() ? first_line : why) +
             "; `ke-runtime doctor` says what this machine lacks";
    if (how.device && !begun && signal == 0) // it was still on its own
      return "the device's driver did not start: " + first_line;
    return {};
  }

  void name_end(call_outcome& out, int code, int signal) const {
    bool full = memory_was_full();
    if (together && together->ran_out()) {
      out.end = call_end::resource_exceeded;
      out.why = "the candidate and what the kernel held for it reached the memory limit of " +
                std::to_string(how.memory_bytes >> 20) + " MiB";
    } else if (signal == SIGSYS) {
      out.end = call_end::forbidden;
      out.why =
          "it made a system call that no kernel may make: for a new process, another program, code that was "
          "not there when it was loaded, a trap on the clock, or kernel memory that no limit counts "
          "(sockets, "
          "memory files, segments, queues)";
    } else if (signal == SIGKILL || signal == SIGXFSZ || (full && signal != 0)) {
      out.end = call_end::resource_exceeded;
      out.why = full ? memory_limit() : "the candidate was killed by " + signal_name(signal);
    } else {
      out.end = call_end::crashed;
      out.why =
          signal ? signal_name(signal) : "the process ended by itself with exit code " + std::to_string(code);
    }
  }

  call_outcome killed(call_end end, std::string why) {
    end_process();
    sweep_orphans();
    call_outcome out;
    out.end = end;
    out.why = std::move(why);
    return out;
  }

  /// What a driver in Python says of an exception. Believed: it only harms who says so.
  call_outcome limit_told(wire::answer what) {
    switch (what) {
    case wire::answer::no_descriptor:
      return killed(call_end::resource_exceeded, "the candidate reached its limit of " +
                                                     std::to_string(how.descriptors) + " open descriptors");
    case wire::answer::no_space:
      return killed(call_end::resource_exceeded, "the candidate filled its memory file systems of " +
                                                     std::to_string(how.scratch_bytes >> 20) + " MiB and " +
                                                     std::to_string(how.inodes) + " files each");
    case wire::answer::refused:
      drain();
      return killed(call_end::forbidden, "it made a system call that no kernel may make: " + last_line());
    default:
      return {};
    }
  }
  /// What is to happen at a time of this wait, once.
  struct appointment {
    double at_ns;
    std::function<void()> what; ///< empty: nothing
  };

  /// What ends a wait that has lasted until now, if anything does. `left_ms`: of its time.
  std::optional<call_outcome> over_limits(double left_ms) {
    if (memory_is_full() || (left_ms <= 0 && memory_was_full()))
      return killed(call_end::resource_exceeded, memory_limit());
    if (auto held = held_too_much(); !held.empty())
      return killed(call_end::resource_exceeded, std::move(held));
    if (left_ms <= 0 && heads_for_limit(in_use, how.memory_bytes))
      return killed(call_end::resource_exceeded, "the candidate was still taking memory (" +
                                                     std::to_string(in_use.back() >> 20) +
                                                     " MiB so far) when its time was up");
    if (left_ms <= 0)
      return killed(call_end::timeout, "no answer within the limit");
    return std::nullopt;
  }

  /// Waits for one answer until `until_ns`.
  call_outcome wait(std::uint64_t expected, double until_ns, wire::done& message,
                    appointment meanwhile = {}) {
    in_use.clear();
    for (;;) {
      double left_ms = (until_ns - driver_now_ns()) / 1e6;
      if (auto ended = over_limits(left_ms))
        return *std::move(ended);
      pollfd fds[4] = {{done.get(), POLLIN, 0},
                       {process.pidfd.get(), POLLIN, 0},
                       {process.out.get(), POLLIN, 0},
                       {process.err.get(), POLLIN, 0}};
      double nap_ns = std::clamp(left_ms, 1.0, 20.0) * 1e6;
      if (meanwhile.what)
        nap_ns = std::clamp(meanwhile.at_ns - driver_now_ns(), 0.0, nap_ns);
      timespec nap{0, static_cast<long>(nap_ns)};
      int ready = ppoll(fds, 4, &nap, nullptr);
      if (ready == 0 && meanwhile.what && driver_now_ns() >= meanwhile.at_ns)
        std::exchange(meanwhile.what, {})();
      if (ready < 0 && errno != EINTR)
        return killed(call_end::machine, std::string{"poll: "} + std::strerror(errno));
      if (fds[0].revents & POLLIN) {
        auto n = read(done.get(), &message, sizeof message);
        if (n == static_cast<ssize_t>(sizeof message) && message.sequence == expected)
          return {};
        if (n > 0)
          return killed(call_end::forged, "an answer that belongs to no order");
      }
      if (fds[1].revents & POLLIN || (fds[0].revents & (POLLHUP | POLLERR) && !(fds[0].revents & POLLIN)))
        return died();
      if (ready > 0)
        drain();
    }
  }
  /// The same for the answer to a request of a device's driver, spinning.
  call_outcome wait_spinning(std::uint32_t number, double until_ns);
  status fork(int memory, int go_read, int done_write);
  void explain(call_outcome& loading, wire::answer said);
  status box(int memory, int go_read, int done_write);
  status enter(process_spec inner, const sandbox_spec& walls);
  /// Whether an answer is there that nothing has asked for.
  bool answered_unasked() const {
    pollfd p{done.get(), POLLIN, 0};
    return poll(&p, 1, 0) == 1 && (p.revents & POLLIN) != 0;
  }

  /// Puts an order into its pipe, which is empty and has room for all, or has been made small.
  call_outcome send(const call_order& what) {
    if (go.send(sequence, what))
      return {};
    return errno != EAGAIN ? died() : killed(call_end::forged, "the pipe of its orders takes no order");
  }

  /// What an answer says about a stopped process; it is dead unless that is `done`.
  call_outcome answered(const wire::done& message) {
    if (go.left_unread() != 0 && message.what == wire::answer::done)
      return killed(call_end::forged, "an answer to an order that it has not read");
    if (message.what == wire::answer::disordered)
      return killed(call_end::forged, "a call of its order was read by somebody else than the driver");
    if (auto held = held_too_much(sequence == 1); !held.empty())
      return killed(call_end::resource_exceeded, std::move(held));
    if (auto limit = limit_told(message.what); limit.end != call_end::done)
      return limit;
    if (message.what == wire::answer::out_of_memory)
      return killed(call_end::resource_exceeded,
                    "memory ran out at the limit of " + std::to_string(how.memory_bytes >> 20) + " MiB");
    if (message.what == wire::answer::no_thread)
      return killed(call_end::resource_exceeded,
                    "a thread beyond the limit of " + std::to_string(how.processes));
    if (message.what == wire::answer::done || message.what == wire::answer::wrong_form)
      return {};
    drain();
    if (how.device)
      return killed(call_end::crashed, "the kernel failed on the device: " + last_line());
    return killed(call_end::crashed,
                  "the kernel threw an exception" + (forked ? ": " + last_line() : std::string{}));
  }

  status stop() {
    auto stopped = group->stop();
    return stopped ? ok : status{stopped.error()};
  }
};

} // namespace ke
