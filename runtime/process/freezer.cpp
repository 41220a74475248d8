#include "runtime/process/freezer.hpp"

#include "runtime/core/node_state.hpp"
#include "runtime/process/proc.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/syscall.h>

#include <algorithm>
#include <charconv>
#include <ctime>
#include <string>
#include <string_view>

namespace ke {
namespace {

unique_fd open_in(int folder, const std::string& path, int flags = 0) {
  return unique_fd{::openat(folder, path.c_str(), O_RDONLY | O_CLOEXEC | flags)};
}

unique_fd pidfd_of(pid_t pid) {
  return unique_fd{static_cast<int>(::syscall(SYS_pidfd_open, pid, 0))};
}

/// The state letter of a thread, 'X' once it is gone.
char state_of(int stat) {
  char text[512];
  auto n = ::pread(stat, text, sizeof text, 0);
  return n <= 0 ? 'X' : proc::state_in({text, static_cast<std::size_t>(n)});
}

/// Leaves the processor to those who are to stop: they do so when they next run. Shortly at first, since
/// mostly they are on another core and stop within microseconds.
void give_way(int round) {
  if (round < 32) {
    ::sched_yield();
    return;
  }
  timespec nap{0, 100'000};
  ::ppoll(nullptr, 0, &nap, nullptr);
}

/// How often a thread was given a processor: the third number of its schedstat.
std::uint64_t runs_of(int schedule) {
  char text[128];
  auto n = ::pread(schedule, text, sizeof text, 0);
  std::string_view numbers{text, n > 0 ? static_cast<std::size_t>(n) : 0};
  auto last = numbers.rfind(' ');
  std::uint64_t runs = 0;
  if (last != numbers.npos)
    std::from_chars(numbers.data() + last + 1, numbers.data() + numbers.size(), runs);
  return runs;
}

/// Stopped by a signal, or past running. 't' is a tracer's stop, which the tracer may end: it does not count.
bool is_still(char state) {
  return state == 'T' || state == 'Z' || state == 'X' || state == 'x';
}

} // namespace

freezer::freezer(pid_t root, bool skip_root) : root_{root}, skip_root_{skip_root} {
  if (!skip_root)
    add(root);
}

freezer::~freezer() {
  if (stopped_)
    resume();
}

bool freezer::alive(const member& m) {
  pollfd p{m.handle.get(), POLLIN, 0};
  return ::poll(&p, 1, 0) == 0;
}

bool freezer::add(pid_t pid) {
  if (auto known = std::find_if(members_.begin(), members_.end(), [&](auto& m) { return m.pid == pid; });
      known != members_.end()) {
    if (alive(*known))
      return false;
    members_.erase(known); // another process has its number now
  }
  member m{pid, pidfd_of(pid), open_in(AT_FDCWD, "/proc/" + std::to_string(pid) + "/task", O_DIRECTORY), {}};
  if (!m.handle || !m.tasks)
    return false; // gone meanwhile
  refresh_threads(m);
  members_.push_back(std::move(m));
  return true;
}

/// Takes up threads that were not known. False if there were some.
bool freezer::refresh_threads(member& m) {
  bool same = true;
  for (auto id : proc::threads_of(m.pid)) {
    if (std::any_of(m.threads.begin(), m.threads.end(), [&](auto& t) { return t.id == id; }))
      continue;
    auto base = std::to_string(id);
    m.threads.push_back({id, open_in(m.tasks.get(), base + "/stat"),
                         open_in(m.tasks.get(), base + "/schedstat"),
                         open_in(m.tasks.get(), base + "/children")});
    same = false;
  }
  return same;
}

/// All known threads read back as still. Forgets the threads that ended.
bool freezer::halted(member& m) {
  bool all = true;
  std::erase_if(m.threads, [&](auto& t) {
    auto state = state_of(t.stat.get());
    all = all && is_still(state);
    return state == 'X' && t.id != m.pid;
  });
  return all;
}

/// Takes up descendants that were not known. True if there were some.
bool freezer::find_new() {
  bool found = false;
  auto take = [&](std::string_view pids) {
    for (const char *at = pids.data(), *end = at + pids.size(); at < end; ++at) {
      pid_t pid = 0;
      at = std::from_chars(at, end, pid).ptr;
      if (pid > 0)
        found = add(pid) || found;
    }
  };
  if (skip_root_)
    for (auto pid : proc::children_of(root_))
      found = add(pid) || found;
  char text[4096];
  for (std::size_t i = 0; i < members_.size(); ++i) // grows while we walk
    for (std::size_t t = 0; t < members_[i].threads.size(); ++t) {
      auto list = members_[i].threads[t].children.get();
      auto n = list < 0 ? -1 : ::pread(list, text, sizeof text, 0);
      if (n == static_cast<ssize_t>(sizeof text) || list < 0) {
        for (auto pid : proc::children_of(members_[i].pid))
          found = add(pid) || found;
      } else if (n > 0) {
        take({text, static_cast<std::size_t>(n)});
      }
    }
  return found;
}

void freezer::find_all() {
  for (int round = 0; round < 16 && find_new(); ++round) {
  }
}

void freezer::send(int signal) {
  for (auto& m : members_)
    ::syscall(SYS_pidfd_send_signal, m.handle.get(), signal, nullptr, 0);
}

status freezer::stop(std::chrono::nanoseconds patience) {
  using clock = std::chrono::steady_clock;
  const auto until = clock::now() + patience;
  std::erase_if(members_, [](auto& m) { return !alive(m); });
  stopped_ = true;
  bool news = members_.empty();
  for (int round = 0; round == 0 || clock::now() < until; ++round) {
    if (news)
      find_new();
    send(SIGSTOP);
    bool still = true;
    for (auto& m : members_)
      still = halted(m) && still;
    if (!still) {
      give_way(round);
      continue;
    }
    // Stopped members can neither fork nor start threads: what is new now was made before, and must be
    // stopped too.
    bool same = true;
    for (auto& m : members_)
      same = refresh_threads(m) && same;
    news = find_new();
    if (same && !news) {
      for (auto& m : members_)
        for (auto& t : m.threads)
          t.runs = runs_of(t.schedule.get());
      return ok;
    }
  }
  return failure{failure_kind::device,
                 "The processes under " + std::to_string(root_) + " could not be brought to a stop."};
}

bool freezer::held() {
  for (auto& m : members_)
    for (auto& t : m.threads)
      if (!is_still(state_of(t.stat.get())) || (t.schedule && t.runs != runs_of(t.schedule.get())))
        return false;
  return stopped_;
}

void freezer::resume() {
  send(SIGCONT);
  stopped_ = false;
}

std::vector<pid_t> freezer::members() const {
  std::vector<pid_t> pids;
  pids.reserve(members_.size());
  for (auto& m : members_)
    pids.push_back(m.pid);
  return pids;
}

double freezer::cpu_seconds() const {
  double sum = 0;
  for (auto& m : members_) {
    clockid_t clock;
    timespec used{};
    if (::clock_getcpuclockid(m.pid, &clock) == 0 && ::clock_gettime(clock, &used) == 0)
      sum += static_cast<double>(used.tv_sec) + static_cast<double>(used.tv_nsec) * 1e-9;
  }
  return sum;
}

} // namespace ke
