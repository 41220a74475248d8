#include "runtime/process/spawn.hpp"

#include "runtime/process/offspring.hpp"

#include <fcntl.h>
#include <linux/close_range.h>
#include <sched.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace ke {
namespace {

enum class step { none, session, descriptors, directory, limits, user, parent, exec };

struct limit {
  int resource = 0;
  rlimit value{};
};

/// What the child needs, made before it exists: between clone and exec it shares our memory and may neither
/// allocate nor lock.
struct launch {
  const char* path = nullptr;
  char* const* argv = nullptr;
  char* const* env = nullptr;
  const char* directory = nullptr;
  const std::pair<int, int>* plan = nullptr; ///< (our descriptor, number in the child)
  int* moved = nullptr;                      ///< scratch, as long as the plan
  std::size_t plan_size = 0;
  int first_free = 3; ///< above every number of the plan
  const limit* limits = nullptr;
  std::size_t limits_size = 0;
  int cgroup = -1;
  std::uint32_t user = 0;
  pid_t parent = 0;
  // written by the child if it fails
  step failed = step::none;
  int error = 0;
};

bool place_descriptors(const launch& l) {
  for (std::size_t i = 0; i < l.plan_size; ++i)
    if ((l.moved[i] = ::fcntl(l.plan[i].first, F_DUPFD_CLOEXEC, l.first_free)) < 0)
      return false;
  if (::syscall(SYS_close_range, 3u, ~0u, CLOSE_RANGE_CLOEXEC) < 0)
    return false;
  for (std::size_t i = 0; i < l.plan_size; ++i)
    if (::dup2(l.moved[i], l.plan[i].second) < 0) // clears close-on-exec
      return false;
  return true;
}

/// Raw calls: glibc's would change the user of every thread of ours, whose list this process shares.
bool become(std::uint32_t user) {
  return ::syscall(SYS_setgroups, 0, nullptr) == 0 && ::syscall(SYS_setresgid, user, user, user) == 0 &&
         ::syscall(SYS_setresuid, user, user, user) == 0;
}

step prepare(const launch& l) {
  // Handlers would run in our memory once signals are unblocked; ignored signals would stay ignored across
  // exec.
  struct sigaction plain{};
  plain.sa_handler = SIG_DFL;
  for (int s = 1; s < NSIG; ++s)
    ::sigaction(s, &plain, nullptr);
  if (::setsid() < 0)
    return step::session;
  if (l.directory && ::chdir(l.directory) < 0)
    return step::directory;
  // Entered here, before another process can have this number. A child that cannot enter runs under the other
  // limits.
  if (l.cgroup >= 0) [[maybe_unused]]
    auto entered = ::write(l.cgroup, "0", 1);
  if (!place_descriptors(l))
    return step::descriptors;
  for (std::size_t i = 0; i < l.limits_size; ++i)
    if (::prlimit(0, static_cast<__rlimit_resource>(l.limits[i].resource), &l.limits[i].value, nullptr) < 0)
      return step::limits;
  // Orphans of a living child stay with it, so what comes to us can only be from dead ones (see
  // sweep_orphans).
  ::prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
  if (l.user != 0 && !become(l.user))
    return step::user;
  // After the change of user, which clears it; the parent may have died before.
  if (::prctl(PR_SET_PDEATHSIG, SIGKILL, 0, 0, 0) < 0 || ::getppid() != l.parent)
    return step::parent;
  return step::none;
}

[[gnu::no_sanitize_address, gnu::no_sanitize_thread]] int run_child(void* data) {
  auto& l = *static_cast<launch*>(data);
  l.failed = prepare(l);
  if (l.failed == step::none) {
    sigset_t none;
    ::sigemptyset(&none);
    ::sigprocmask(SIG_SETMASK, &none, nullptr);
    ::execve(l.path, l.argv, l.env);
    l.failed = step::exec;
  }
  l.error = errno;
  ::_exit(127);
}

bool runnable(const std::string& path) {
  struct stat s{};
  return ::stat(path.c_str(), &s) == 0 && S_ISREG(s.st_mode) && ::access(path.c_str(), X_OK) == 0;
}

/// The path of the program, empty if there is none. A relative path with a slash is seen from the child's
/// directory, as a shell would.
std::string locate(const process_spec& spec) {
  const auto& name = spec.argv.front();
  if (name.find('/') != name.npos) {
    auto seen = name.front() == '/' || spec.directory.empty() ? name : spec.directory + "/" + name;
    return runnable(seen) ? name : std::string{};
  }
  auto given = spec.env.find("PATH");
  const char* ours = ::getenv("PATH");
  std::string path = given != spec.env.end() ? given->second : ours ? ours : "/usr/bin:/bin";
  for (std::size_t at = 0; at <= path.size();) {
    auto end = std::min(path.find(':', at), path.size());
    if (auto full = path.substr(at, end - at) + "/" + name; end > at && runnable(full))
      return full;
    at = end + 1;
  }
  return {};
}

constexpr std::uint64_t queued_signals = 1024;

std::vector<limit> limits_of(const process_spec& spec) {
  std::vector<limit> all{{RLIMIT_CORE, {0, 0}}};
  auto add = [&](int resource, std::uint64_t soft, std::uint64_t hard) {
    if (soft != 0)
      all.push_back({resource, {soft, hard}});
  };
  add(RLIMIT_AS, spec.memory_bytes, spec.memory_bytes);
  add(RLIMIT_CPU, spec.cpu_s, spec.cpu_s + 1); // SIGXCPU first, SIGKILL a second later
  add(RLIMIT_FSIZE, spec.file_bytes, spec.file_bytes);
  add(RLIMIT_NPROC, spec.processes, spec.processes);
  if (spec.descriptors != 0) { // kernel memory that no other limit counts
    rlimit ours{};
    ::getrlimit(RLIMIT_NOFILE, &ours);
    auto most = std::min<std::uint64_t>(spec.descriptors, ours.rlim_max); // raising it takes root
    add(RLIMIT_NOFILE, most, most);
    add(RLIMIT_SIGPENDING, queued_signals, queued_signals);
    all.push_back({RLIMIT_MSGQUEUE, {0, 0}});
  }
  return all;
}

/// The three pipes, the child's ends and ours.
struct pipes {
  unique_fd child_in, child_out, child_err;
  unique_fd in, out, err;
};

bool open_pipe(unique_fd& read_end, unique_fd& write_end, unique_fd& ours) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) < 0)
    return false;
  read_end.reset(ends[0]);
  write_end.reset(ends[1]);
  return ::fcntl(ours.get(), F_SETFL, ::fcntl(ours.get(), F_GETFL) | O_NONBLOCK) == 0;
}

bool open_pipes(const process_spec& spec, pipes& p) {
  if (!open_pipe(p.out, p.child_out, p.out) || !open_pipe(p.err, p.child_err, p.err))
    return false;
  if (!spec.input.empty() || spec.keep_input_open)
    return open_pipe(p.child_in, p.in, p.in);
  p.child_in.reset(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  return static_cast<bool>(p.child_in);
}

failure bad(failure_kind kind, std::string text, bool retryable = false) {
  return {kind, std::move(text), retryable};
}

failure explain(const launch& l, const process_spec& spec, const std::string& path) {
  const auto& name = spec.argv.front();
  std::string why = std::strerror(l.error);
  switch (l.failed) {
  case step::exec:
    if (l.error == ENOENT)
      return bad(
          failure_kind::missing,
          "'" + path +
              "' cannot be started: the interpreter or loader that it names does not exist; install it.");
    if (l.error == EACCES || l.error == ENOEXEC)
      return bad(failure_kind::missing, "'" + path + "' cannot be started (" + why +
                                            "): it must be a program that this user may run.");
    return bad(failure_kind::internal, "'" + path + "' cannot be started: " + why + ".",
               l.error == EAGAIN || l.error == ENOMEM);
  case step::directory:
    return bad(failure_kind::invalid,
               "'" + name + "' cannot be started in the folder '" + spec.directory + "': " + why + ".");
  case step::descriptors:
    return bad(failure_kind::internal,
               "'" + name + "' cannot be started: its descriptors could not be placed (" + why +
                   "); Linux 5.11 or newer is needed, and room under the limit of open files.");
  case step::user:
    return bad(failure_kind::invalid, "'" + name + "' cannot be started as user " +
                                          std::to_string(spec.outer_uid) + ": " + why + "; this needs root.");
  default:
    return bad(failure_kind::internal,
               "'" + name + "' cannot be started: its session or limits could not be set (" + why + ").");
  }
}

status check(const process_spec& spec) {
  if (spec.argv.empty() || spec.argv.front().empty())
    return bad(failure_kind::invalid, "A child process was asked for without a program; argv[0] names it.");
  std::set<int> numbers;
  for (auto [ours, theirs] : spec.pass_fds)
    if (theirs < 3 || !numbers.insert(theirs).second || ::fcntl(ours, F_GETFD) < 0)
      return bad(failure_kind::invalid, "'" + spec.argv.front() + "' cannot be given descriptor " +
                                            std::to_string(ours) + " as " + std::to_string(theirs) +
                                            ": pass open descriptors, each to a number of its own above 2.");
  return ok;
}

/// What the child reads before it runs its program: it shares our memory until then.
struct prepared_launch {
  prepared_launch(const process_spec& spec, const std::string& path, const pipes& p)
      : plan{{p.child_in.get(), 0}, {p.child_out.get(), 1}, {p.child_err.get(), 2}}, limits{limits_of(spec)} {
    for (auto& a : spec.argv)
      argv.push_back(const_cast<char*>(a.c_str()));
    argv.push_back(nullptr);
    for (auto& [key, value] : spec.env)
      pairs.push_back(key + "=" + value);
    for (auto& pair : pairs)
      env.push_back(pair.data());
    env.push_back(nullptr);
    plan.insert(plan.end(), spec.pass_fds.begin(), spec.pass_fds.end());
    moved.resize(plan.size());
    l.path = path.c_str();
    l.argv = argv.data();
    l.env = env.data();
    l.directory = spec.directory.empty() ? nullptr : spec.directory.c_str();
    l.plan = plan.data();
    l.moved = moved.data();
    l.plan_size = plan.size();
    for (auto [ours, theirs] : plan)
      l.first_free = std::max(l.first_free, theirs + 1);
    l.limits = limits.data();
    l.limits_size = limits.size();
    l.cgroup = spec.cgroup;
    l.user = spec.outer_uid;
    l.parent = ::getpid();
  }
  prepared_launch(const prepared_launch&) = delete;

  std::vector<char*> argv, env;
  std::vector<std::string> pairs;
  std::vector<std::pair<int, int>> plan;
  std::vector<int> moved;
  std::vector<limit> limits;
  launch l;
};

/// On a stack of its own, without signals until it has its own handlers.
pid_t start_child(launch& l, int& pidfd, int& error) {
  constexpr std::size_t stack_size = 64 << 10;
  auto stack = std::make_unique_for_overwrite<char[]>(stack_size);
  auto top = reinterpret_cast<void*>((reinterpret_cast<std::uintptr_t>(stack.get()) + stack_size) &
                                     ~std::uintptr_t{63});
  sigset_t all, before;
  ::sigfillset(&all);
  ::pthread_sigmask(SIG_SETMASK, &all, &before);
  auto pid = ::clone(run_child, top, CLONE_VM | CLONE_VFORK | CLONE_PIDFD | SIGCHLD, &l, &pidfd);
  error = errno;
  ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  return pid;
}

} // namespace

bool on_own_path(const std::string& program) {
  process_spec spec;
  spec.argv = {program};
  return !locate(spec).empty();
}

result<child> spawn(const process_spec& spec) {
  if (auto good = check(spec); !good)
    return good.error();
  auto path = locate(spec);
  if (path.empty())
    return bad(failure_kind::missing, "The program '" + spec.argv.front() +
                                          "' was not found; install it or put its folder on PATH.");
  pipes p;
  if (!open_pipes(spec, p))
    return bad(failure_kind::internal,
               "No pipe for '" + spec.argv.front() + "': " + std::strerror(errno) +
                   "; raise the limit of open files.",
               true);

  prepared_launch prepared{spec, path, p};
  auto& l = prepared.l;

  child c;
  int pidfd = -1, error = 0;
  auto& ours = offspring::of_this_process();
  std::lock_guard lock{ours.mutex};
  c.pid = start_child(l, pidfd, error);
  if (c.pid < 0)
    return bad(failure_kind::internal,
               "'" + spec.argv.front() + "' cannot be started: " + std::strerror(error) +
                   "; too many processes or too little memory.",
               true);
  c.pidfd.reset(pidfd);
  if (l.failed != step::none) {
    ::waitpid(c.pid, nullptr, __WALL);
    return explain(l, spec, path);
  }
  ours.alive.insert(c.pid);
  c.in = std::move(p.in);
  c.out = std::move(p.out);
  c.err = std::move(p.err);
  return c;
}

} // namespace ke
