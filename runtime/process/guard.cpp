#include "runtime/process/guard.hpp"

#include "runtime/process/spawn.hpp"

#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <unistd.h>

namespace ke {
namespace {

/// Passes signals on until the child ends; its status as of waitpid.
int watch(pid_t child, int signals) {
  for (int status = 0;;) {
    signalfd_siginfo info{};
    if (::read(signals, &info, sizeof info) != sizeof info)
      continue;
    if (info.ssi_signo != SIGCHLD) {
      if (info.ssi_code != SI_KERNEL) // the terminal sends to the whole group, so the child has it already
        ::kill(child, static_cast<int>(info.ssi_signo));
    } else if (::waitpid(child, &status, WNOHANG) == child) {
      return status;
    }
  }
}

[[noreturn]] void end_by(int signal) {
  ::signal(signal, SIG_DFL);
  sigset_t all;
  ::sigemptyset(&all);
  ::sigprocmask(SIG_SETMASK, &all, nullptr);
  ::raise(signal);
  ::_exit(128 + signal);
}

} // namespace

std::optional<int> guard() {
  sigset_t watched, before;
  ::sigemptyset(&watched);
  for (int s : {SIGINT, SIGTERM, SIGHUP, SIGCHLD})
    ::sigaddset(&watched, s);
  ::sigprocmask(SIG_BLOCK, &watched, &before);
  const int signals = ::signalfd(-1, &watched, SFD_CLOEXEC);
  const auto parent = ::getpid();
  const auto child = signals < 0 ? -1 : ::fork();
  if (child <= 0) {
    ::sigprocmask(SIG_SETMASK, &before, nullptr);
    if (signals >= 0)
      ::close(signals);
    if (child == 0 && (::prctl(PR_SET_PDEATHSIG, SIGTERM) != 0 || ::getppid() != parent))
      ::_exit(128 + SIGTERM); // it was killed before it could be watched; nothing has begun
    return std::nullopt;
  }
  adopt_orphans();
  const int status = watch(child, signals);
  sweep_all_orphans();
  if (WIFSIGNALED(status))
    end_by(WTERMSIG(status));
  return WEXITSTATUS(status);
}

} // namespace ke
