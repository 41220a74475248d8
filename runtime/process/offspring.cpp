#include "runtime/process/offspring.hpp"

#include "runtime/process/proc.hpp"
#include "runtime/process/spawn.hpp"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <cerrno>

namespace ke {
namespace {

using clock = std::chrono::steady_clock;
constexpr auto patience = std::chrono::seconds{2};

double seconds(const timeval& t) {
  return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
}

void wait_readable(int fd, std::chrono::nanoseconds wait) {
  auto until = clock::now() + wait;
  for (auto left = wait; left.count() >= 0; left = until - clock::now()) {
    pollfd p{fd, POLLIN, 0};
    timespec t{static_cast<time_t>(left.count() / 1'000'000'000),
               static_cast<long>(left.count() % 1'000'000'000)};
    if (::ppoll(&p, 1, &t, nullptr) >= 0 || errno != EINTR)
      return;
  }
}

} // namespace

offspring& offspring::of_this_process() {
  static offspring table;
  return table;
}

std::optional<child_end> reap(child& c, std::chrono::nanoseconds wait) {
  if (c.pid < 0)
    return std::nullopt;
  if (wait.count() > 0)
    wait_readable(c.pidfd.get(), wait);
  auto& ours = offspring::of_this_process();
  std::lock_guard lock{ours.mutex}; // held over wait4: the pid is free for a new child as soon as it returns
  int state = 0;
  rusage used{};
  pid_t got = 0;
  do
    got = ::wait4(c.pid, &state, WNOHANG, &used);
  while (got < 0 && errno == EINTR);
  if (got == 0)
    return std::nullopt;
  ours.alive.erase(c.pid);
  c.pid = -1;
  child_end end;
  if (got < 0)
    return end; // somebody else waited for it: it is gone, how is unknown
  if (WIFEXITED(state))
    end.code = WEXITSTATUS(state);
  if (WIFSIGNALED(state))
    end.signal = WTERMSIG(state);
  end.cpu_seconds = seconds(used.ru_utime) + seconds(used.ru_stime);
  return end;
}

void adopt_orphans() {
  static const int once = ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  (void)once;
}

std::size_t sweep_orphans() {
  auto& ours = offspring::of_this_process();
  std::lock_guard lock{ours.mutex};
  const auto session = ::getsid(0);
  std::size_t found = 0;
  for (auto pid : proc::children_of(::getpid())) {
    if (ours.alive.count(pid) != 0 || ::getsid(pid) == session)
      continue;
    // An unreaped child of ours: nobody else can have the pid, or the group that it leads. What it leaves
    // behind in turn comes to us and is found by the next sweep.
    if (::getpgid(pid) == pid)
      ::kill(-pid, SIGKILL);
    ::kill(pid, SIGKILL);
    ::waitpid(pid, nullptr, WNOHANG | __WALL);
    ++found; // counted even if it is gone now: its own children may have come to us meanwhile, so look again
  }
  return found;
}

void sweep_all_orphans() {
  const auto until = clock::now() + patience;
  while (sweep_orphans() != 0 && clock::now() < until)
    ::poll(nullptr, 0, 1);
}

child_end kill_tree(child& c) {
  adopt_orphans(); // before it dies: what leaves its group would otherwise become init's and live on
  child_end end;
  if (c.pid > 0) {
    ::kill(-c.pid, SIGKILL);
    ::syscall(SYS_pidfd_send_signal, c.pidfd.get(), SIGKILL, nullptr, 0);
    if (auto got = reap(c, patience))
      end = *got;
  }
  sweep_all_orphans();
  return end;
}

} // namespace ke
