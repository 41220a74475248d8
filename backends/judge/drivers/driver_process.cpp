#include "backends/judge/drivers/driver_process.hpp"

#include "backends/judge/driver_wire.hpp"
#include "backends/judge/kernel_holdings.hpp"
#include "backends/judge/memory_trend.hpp"
#include "backends/judge/order_pipe.hpp"
#include "backends/judge/process_memory.hpp"
#include "backends/judge/process_words.hpp"
#include "backends/judge/thread_filters.hpp"
#include "backends/judge/warm_fork.hpp"
#include "runtime/process/freezer.hpp"
#include "runtime/process/memory_cgroup.hpp"
#include "runtime/process/sandbox.hpp"
#include "runtime/process/seccomp_filter.hpp"
#include "runtime/process/spawn.hpp"

#include <fcntl.h>
#include <poll.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <optional>
#include <utility>

namespace ke {
namespace {
double now_ns() {
  return std::chrono::duration<double, std::nano>{std::chrono::steady_clock::now().time_since_epoch()}
      .count();
}

} // namespace

/// What the kernel itself may hold for a candidate beside what has a limit of its own: stacks of threads,
/// page tables, descriptors.
constexpr std::uint64_t kernel_share = 128u << 20;

struct driver_process::state {
  driver_start how;
  std::optional<memory_cgroup> together; ///< goes last: it can't be removed before its members have ended
  unique_fd done;
  order_pipe go;
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
  bool writable = false; ///< `inside` is, too
  bool boxed = false;    ///< the child is the sandbox's launcher, not the driver
  bool begun = false;    ///< the driver has said that it runs
  bool confined = false; ///< once it is loaded it may make no code

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
    if (!group || now_ns() < next_sample_ns)
      return false;
    next_sample_ns = now_ns() + 20e6;
    bool full = false;
    std::uint64_t own = 0;
    if (forked)
      group->find_all(); // its children count as well
    auto members = group->members();
    for (auto pid : members) {
      auto use = memory_of(pid);
      own += use.own - std::min(use.own, base_own);
      most_memory = std::max(most_memory, use.space);
      full = full || (use.space > base_memory + (how.memory_bytes + how.memory) / 100 * 95 &&
                      use.own > how.memory_bytes / 100 * 75);
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
    if (!begun || !group || (!now && now_ns() < next_holdings_ns))
      return {};
    next_holdings_ns = now_ns() + 20e6;
    return holdings.over(group->members(), how.descriptors, how.inodes);
  }

  bool memory_was_full() const {
    return most_memory > base_memory + (how.memory_bytes + how.memory) / 10 * 8;
  }

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
    if (forked && !forked->trouble().empty()) {
      out.end = call_end::machine;
      out.why = "the sandbox can't be set up: " + forked->trouble() +
                "; `ke-runtime doctor` says what this machine lacks";
      return out;
    }
    if (code == 1 && boxed && !begun && log.starts_with("bwrap: ")) { // the driver never ran
      out.end = call_end::machine;
      out.why = "the sandbox can't be set up: " + log.substr(0, log.find('\n')) +
                "; `ke-runtime doctor` says what this machine lacks";
      return out;
    }
    if (code > 128 && boxed) { // the sandbox reports its child's signal so
      signal = code - 128;
      code = -1;
    }
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
    return out;
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

  /// Waits for one answer until `until_ns`.
  call_outcome wait(std::uint64_t expected, double until_ns, wire::done& message,
                    appointment meanwhile = {}) {
    in_use.clear();
    for (;;) {
      double left_ms = (until_ns - now_ns()) / 1e6;
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
      pollfd fds[4] = {{done.get(), POLLIN, 0},
                       {process.pidfd.get(), POLLIN, 0},
                       {process.out.get(), POLLIN, 0},
                       {process.err.get(), POLLIN, 0}};
      double nap_ns = std::clamp(left_ms, 1.0, 20.0) * 1e6;
      if (meanwhile.what)
        nap_ns = std::clamp(meanwhile.at_ns - now_ns(), 0.0, nap_ns);
      timespec nap{0, static_cast<long>(nap_ns)};
      int ready = ppoll(fds, 4, &nap, nullptr);
      if (ready == 0 && meanwhile.what && now_ns() >= meanwhile.at_ns)
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
  status fork(int memory, int go_read, int done_write);
  status box(int memory, int go_read, int done_write);
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
    return killed(call_end::crashed,
                  "the kernel threw an exception" + (forked ? ": " + last_line() : std::string{}));
  }

  status stop() {
    auto stopped = group->stop();
    return stopped ? ok : status{stopped.error()};
  }
};

/// A process of the warm parent.
status driver_process::state::fork(int memory, int go_read, int done_write) {
  fork_request what;
  what.parent = how.warm_parent;
  what.memory = memory;
  what.go = go_read;
  what.done = done_write;
  what.payload = how.payload;
  what.processes = how.processes;
  what.address_space = how.memory_bytes + how.memory;
  what.file_bytes = std::max<std::uint64_t>(how.scratch_bytes, how.memory);
  what.scratch_bytes = how.scratch_bytes;
  what.descriptors = how.descriptors;
  what.inodes = how.inodes;
  auto made = warm_fork::ask(what);
  if (!made)
    return made.error();
  forked.emplace(std::move(*made));
  process = std::move(forked->process);
  forked->process.pidfd.reset(fcntl(process.pidfd.get(), F_DUPFD_CLOEXEC, 3));
  auto own = "/proc/" + std::to_string(process.pid);
  inside.reset(::open((own + "/mem").c_str(), O_RDWR | O_CLOEXEC));
  writable = static_cast<bool>(inside);
  if (!writable)
    inside.reset(::open((own + "/mem").c_str(), O_RDONLY | O_CLOEXEC));
  pages.reset(::open((own + "/pagemap").c_str(), O_RDONLY | O_CLOEXEC));
  if (together)
    together->adopt(process.pid);
  base_memory = forked->base_bytes;
  base_own = memory_of(process.pid).own;
  group.emplace(process.pid);
  return ok;
}

driver_process::driver_process(std::unique_ptr<state> s) : state_{std::move(s)} {}
driver_process::~driver_process() = default;
bool driver_process::readable() const {
  return static_cast<bool>(state_->inside);
}
bool driver_process::read_memory(std::uint64_t address, char* to, std::size_t bytes) const {
  return read_all(state_->inside.get(), address, to, bytes);
}
std::uint64_t driver_process::unwritten(std::uint64_t address, std::uint64_t bytes) const {
  return state_->pages ? unwritten_pages(state_->pages.get(), address, bytes) : 0;
}
bool driver_process::write_memory(std::uint64_t address, const char* from, std::size_t bytes) const {
  return state_->writable && write_all(state_->inside.get(), address, from, bytes);
}
std::vector<page_run> driver_process::own_pages() const {
  return state_->pages ? own_pages_of(state_->process.pid, state_->pages.get()) : std::vector<page_run>{};
}
bool driver_process::owns_page(std::uint64_t address) const {
  return state_->pages && is_own_page(state_->pages.get(), address);
}
bool driver_process::held() const {
  return state_->dead || state_->group->held();
}
const std::string& driver_process::log() const {
  return state_->log;
}

result<std::unique_ptr<driver_process>> driver_process::start(const driver_start& how, int memory,
                                                              call_outcome& loading) {
  adopt_orphans();
  auto s = std::make_unique<state>();
  s->how = how;
  unique_fd go_read;
  auto orders = order_pipe::make(go_read);
  if (!orders)
    return orders.error();
  s->go = std::move(*orders);
  int done[2];
  if (pipe2(done, O_CLOEXEC) != 0)
    return machine_failure("make a pipe");
  s->done.reset(done[0]);
  unique_fd done_write{done[1]};
  fcntl(s->done.get(), F_SETFL, O_NONBLOCK);

  if (auto made = memory_cgroup::make(how.memory_bytes + how.memory + 2 * how.scratch_bytes + kernel_share))
    s->together.emplace(std::move(*made));
  auto begun = how.warm_parent >= 0 ? s->fork(memory, go_read.get(), done_write.get())
                                    : s->box(memory, go_read.get(), done_write.get());
  if (!begun)
    return begun.error();
  if (s->forked) { // the end of a fork must close the pipes; that of a sandbox is seen without
    go_read.reset();
    done_write.reset();
  }
  return loaded(std::move(s), loading);
}

/// ke-driver in a sandbox.
status driver_process::state::box(int memory, int go_read, int done_write) {
  process_spec inner;
  std::string cpus;
  for (int cpu : how.cpus)
    cpus += (cpus.empty() ? "" : ",") + std::to_string(cpu);
  inner.argv = {how.driver, how.object, cpus, how.fast_math ? "fast" : "exact"};
  inner.env = {{"OMP_NUM_THREADS", std::to_string(how.threads)},
               {"OMP_WAIT_POLICY", "passive"},
               {"OMP_DYNAMIC", "false"},
               {"OPENBLAS_NUM_THREADS", std::to_string(how.threads)}};
  inner.pass_fds = {{memory, wire::memory_fd}, {go_read, wire::go_fd}, {done_write, wire::done_fd}};
  auto level = parse_name<sandbox_level>(how.sandbox).value_or(sandbox_level::full);
  auto loading_filter = kernel_filter(kernel_stage::loading),
       calling_filter = kernel_filter(kernel_stage::calling);
  if (loading_filter && calling_filter) {
    inner.pass_fds.emplace_back(loading_filter->get(), wire::loading_filter_fd);
    inner.pass_fds.emplace_back(calling_filter->get(), wire::calling_filter_fd);
    confined = true;
  } else if (level == sandbox_level::full) {
    return loading_filter ? calling_filter.error() : loading_filter.error();
  }
  inner.memory_bytes = how.memory_bytes + how.memory;
  inner.file_bytes = how.scratch_bytes;
  sandbox_spec walls;
  walls.level = level;
  walls.read_only = {{how.driver, how.driver}};
  if (how.object != "-")
    walls.read_only.emplace_back(how.object, how.object);
  walls.scratch_bytes = how.scratch_bytes;
  walls.processes = how.processes;
  walls.descriptors = how.descriptors;
  auto spec = sandboxed(std::move(inner), walls);
  if (!spec)
    return spec.error();
  // Where `best` had to do without bubblewrap, the child is the driver itself.
  boxed = std::any_of(spec->argv.begin(), spec->argv.end(), [](const std::string& word) {
    return word == "bwrap" || (word.size() > 6 && word.compare(word.size() - 6, 6, "/bwrap") == 0);
  });
  if (together)
    spec->cgroup = together->entrance();
  auto started = spawn(*spec);
  if (!started)
    return started.error();
  process = std::move(*started);
  group.emplace(process.pid, boxed);
  return ok;
}

result<std::unique_ptr<driver_process>> driver_process::loaded(std::unique_ptr<state> s,
                                                               call_outcome& loading) {
  const auto& how = s->how;
  // Two answers: that the driver runs, which comes before any code of the candidate and so is the machine's
  // own word, and that the object is loaded.
  wire::done message;
  double until = now_ns() + how.load_s * 1e9;
  loading = s->wait(0, until, message);
  if (loading.end == call_end::done && message.what != wire::answer::started)
    loading =
        s->killed(call_end::machine, "the filter of system calls cannot be put in place inside the sandbox");
  s->begun = loading.end == call_end::done;
  if (s->begun) {
    s->watch_holdings();
    loading = s->wait(0, until, message);
  }
  if (loading.end == call_end::timeout) {
    loading.end = s->begun ? call_end::timeout : call_end::machine;
    loading.why =
        (s->begun ? "loading the object did not end within " : "the sandbox did not start within ") +
        std::to_string(static_cast<int>(how.load_s)) + " s";
  }
  if (loading.end == call_end::crashed)
    loading.why = "while the object was loaded: " + loading.why;
  if (loading.end == call_end::done && message.what == wire::answer::load_failed) {
    s->drain();
    loading =
        s->killed(call_end::load_failed, s->forked ? s->last_line() : s->log.substr(0, s->log.find('\n')));
  }
  if (loading.end == call_end::done && message.what == wire::answer::out_of_memory)
    loading = s->killed(call_end::resource_exceeded, "loading reached the memory limit of " +
                                                         std::to_string(how.memory_bytes >> 20) + " MiB");
  if (loading.end == call_end::done)
    if (auto limit = s->limit_told(message.what); limit.end != call_end::done)
      loading = std::move(limit);
  // A second "started", say, is not "ready": the process would be stopped before it confined itself.
  if (loading.end == call_end::done && message.what != wire::answer::ready)
    loading = s->killed(call_end::forged, "an answer that no driver gives while it loads");
  loading.left = message.left;
  if (loading.end == call_end::done)
    if (auto stopped = s->stop(); !stopped)
      loading = s->killed(call_end::resource_exceeded, "the process could not be stopped after loading");
  if (loading.end == call_end::done)
    if (auto held = s->held_too_much(true); !held.empty())
      loading = s->killed(call_end::resource_exceeded, std::move(held));
  if (loading.end == call_end::done && s->confined)
    if (auto what = left_by_loading(s->group->members()); !what.empty())
      loading = s->killed(call_end::forbidden, "loading left " + what);
  return std::unique_ptr<driver_process>{new driver_process{std::move(s)}};
}

call_outcome driver_process::go(const call_order& what, double limit_s, const call_watch& watch) {
  auto& s = *state_;
  call_outcome out;
  if (s.dead) {
    out.end = call_end::crashed;
    out.why = "the process had ended before the call";
    return out;
  }
  ++s.sequence;
  if (!s.group->held())
    return s.killed(call_end::forged, "it ran between two calls although it was stopped");
  if (s.answered_unasked())
    return s.killed(call_end::forged, "an answer before the order");
  s.open.cpu_before = s.group->cpu_seconds();
  // Before it wakes: what a handler of the wake-up or another thread does is paid for.
  s.open.start = now_ns();
  s.group->resume();
  if (auto sent = s.send(what); sent.end != call_end::done)
    return sent;
  state::appointment midway;
  if (watch.midway)
    midway = {s.open.start + watch.after_s * 1e9, [&] { watch.midway(s.go.begun(what)); }};
  out = s.wait(s.sequence, s.open.start + limit_s * 1e9, s.open.message, std::move(midway));
  s.open.end = now_ns();
  if (out.end == call_end::timeout)
    out.why = "a call did not end within " + std::to_string(limit_s).substr(0, 5) + " s" +
              (s.forked && s.sequence == 1 ? "; the first one includes what the candidate compiles" : "");
  if (out.end != call_end::done)
    return out;
  s.open.cpu_done = s.group->cpu_seconds();
  out.ns = s.open.end - s.open.start;
  return out;
}

void driver_process::close(call_outcome& call) {
  auto& s = *state_;
  const auto& message = s.open.message;
  if (auto stopped = s.stop(); !stopped) {
    call = s.killed(call_end::resource_exceeded,
                    "the candidate's processes could not be stopped after the call");
    return;
  }
  double gap_s = (now_ns() - s.open.end) * 1e-9;
  if (auto bad = s.answered(message); bad.end != call_end::done) {
    call = std::move(bad);
    return;
  }
  if (message.what == wire::answer::wrong_form) {
    s.drain();
    call.why = s.last_line();
  }
  call.driver_ns = static_cast<double>(message.took_ns);
  call.left = message.left;
  call.cpu_s = s.open.cpu_done - s.open.cpu_before;
  // No work left out by "done" can have taken longer than the stop did: threads side by side count once.
  call.late_s = std::min(s.group->cpu_seconds() - s.open.cpu_done, gap_s);
}

} // namespace ke
