#include "runtime/process/seccomp_filter.hpp"

#include <catch2/catch.hpp>

#include <fcntl.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sched.h>
#include <signal.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <barrier>
#include <condition_variable>
#include <cstdio>
#include <functional>
#include <mutex>
#include <stop_token>
#include <string>
#include <thread>
#include <vector>

using namespace ke;

namespace {

constexpr int killed = -SIGSYS;

/// What becomes of `act` under the filter, in a process of its own: the error number that it returns, or the
/// negative signal that ended it.
int under(kernel_stage stage, const std::function<int()>& act) {
  auto filter = kernel_filter(stage);
  REQUIRE(filter);
  sock_filter code[512];
  auto bytes = ::read(filter->get(), code, sizeof code);
  REQUIRE(bytes > 0);
  sock_fprog program{static_cast<unsigned short>(static_cast<std::size_t>(bytes) / sizeof(sock_filter)),
                     code};
  auto child = ::fork();
  if (child == 0) {
    ::signal(SIGSYS, SIG_DFL);
    ::prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0);
    if (::syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, 0, &program) != 0)
      ::_exit(255);
    ::_exit(act());
  }
  int how = 0;
  ::waitpid(child, &how, 0);
  return WIFSIGNALED(how) ? -WTERMSIG(how) : WEXITSTATUS(how);
}

int call(long number, long a = 0, long b = 0, long c = 0, long d = 0) {
  return ::syscall(number, a, b, c, d) < 0 ? errno : 0;
}

} // namespace

TEST_CASE(
    "kernel memory that no limit counts is refused to kernels, with death where nothing honest asks for it") {
  int two[2];
  auto ends = reinterpret_cast<long>(two);
  const std::pair<const char*, std::function<int()>> acts[] = {
      {"socket", [] { return call(SYS_socket, AF_INET, SOCK_STREAM); }},
      {"socketpair", [=] { return call(SYS_socketpair, AF_UNIX, SOCK_STREAM, 0, ends); }},
      {"memfd_create", [] { return call(SYS_memfd_create, reinterpret_cast<long>("x")); }},
      {"shmget", [] { return call(SYS_shmget, 0, 4096, 01600); }},
      {"msgget", [] { return call(SYS_msgget, 0, 01600); }},
      {"semget", [] { return call(SYS_semget, 0, 1, 01600); }},
      {"mq_open", [] { return call(SYS_mq_open, reinterpret_cast<long>("x"), O_CREAT, 0600, 0); }},
      {"inotify_init1", [] { return call(SYS_inotify_init1); }},
      {"io_uring_setup", [] { return call(SYS_io_uring_setup, 1); }},
      {"io_setup", [] { return call(SYS_io_setup, 1); }},
      {"landlock_create_ruleset", [] { return call(SYS_landlock_create_ruleset, 0, 0, 1); }},
  };
  for (const auto& [name, act] : acts) {
    INFO(name);
    CHECK(under(kernel_stage::loading, act) == killed);
    CHECK(under(kernel_stage::interpreting, act) == EPERM); // a language's library may ask and do without
  }
}

TEST_CASE("locks of byte ranges and larger pipes are refused with an error, locks of files are not") {
  char name[] = "/tmp/ke-locks-XXXXXX";
  int file = ::mkstemp(name);
  REQUIRE(file >= 0);
  ::unlink(name);
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  for (auto stage : {kernel_stage::loading, kernel_stage::interpreting}) {
    auto locks = [&](int command) {
      struct flock lock{};
      lock.l_type = F_WRLCK;
      return ::fcntl(file, command, &lock) < 0 ? errno : 0;
    };
    CHECK(under(stage, [&] { return locks(F_SETLK); }) == ENOLCK);
    CHECK(under(stage, [&] { return locks(F_SETLKW); }) == ENOLCK);
    CHECK(under(stage, [&] { return locks(F_OFD_SETLK); }) == ENOLCK);
    CHECK(under(stage, [&] { return call(SYS_flock, file, 2); }) == 0);
    CHECK(under(stage, [&] { return call(SYS_fcntl, ends[1], F_SETPIPE_SZ, 1 << 20); }) == EPERM);
  }
  ::close(file);
  ::close(ends[0]);
  ::close(ends[1]);
}

TEST_CASE("what threads wait by, and what ends with the descriptors, stays allowed to kernels") {
  auto honest = [] {
    std::atomic<int> done{0};
    std::barrier together(3);
    std::mutex lock;
    std::condition_variable_any changed;
    {
      std::vector<std::jthread> pool;
      for (int i = 0; i < 3; ++i)
        pool.emplace_back([&] {
          together.arrive_and_wait();
          ++done;
          done.notify_all();
        });
      std::jthread idle([&](std::stop_token stop) {
        std::unique_lock guard{lock};
        changed.wait(guard, stop, [] { return false; });
      });
      for (int seen = done; seen < 3; seen = done)
        done.wait(seen);
    }
    ::sched_yield();
    auto* pages = ::mmap(nullptr, 1 << 21, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED || ::madvise(pages, 1 << 21, MADV_DONTNEED) != 0 || ::munmap(pages, 1 << 21) != 0)
      return 1;
    int ends[2];
    cpu_set_t set;
    bool opened = ::pipe(ends) == 0 && ::eventfd(0, 0) >= 0 && ::epoll_create1(0) >= 0 &&
                  ::open("/proc/cpuinfo", O_RDONLY) >= 0;
    return opened && ::sched_getaffinity(0, sizeof set, &set) == 0 ? 0 : 2;
  };
  for (auto stage : {kernel_stage::loading, kernel_stage::interpreting})
    CHECK(under(stage, honest) == 0);
}
