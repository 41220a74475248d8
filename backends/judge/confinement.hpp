#pragma once

#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstddef>

// For ke-driver and ke-runner, which live beside hostile code: no library behind it.

namespace ke {

/// A filter of system calls, compiled by the judge or the profiler (runtime/process/seccomp_filter.hpp) and
/// read from a descriptor, which is closed. Empty if none was passed.
struct own_filter {
  static constexpr std::size_t most = 512;
  sock_filter code[most];
  std::size_t bytes = 0;

  explicit own_filter(int fd) {
    for (ssize_t n; bytes < sizeof code; bytes += static_cast<std::size_t>(n))
      if ((n = read(fd, reinterpret_cast<char*>(code) + bytes, sizeof code - bytes)) <= 0)
        break;
    close(fd);
  }
  /// For this process and all its threads.
  bool install() {
    if (bytes == 0)
      return true;
    auto p = program();
    return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 &&
           syscall(SYS_seccomp, SECCOMP_SET_MODE_FILTER, SECCOMP_FILTER_FLAG_TSYNC, &p) == 0;
  }
  /// For this thread and its later ones, if a simulator has no seccomp(2).
  bool install_here() {
    auto p = program();
    return bytes == 0 || install() ||
           (errno == ENOSYS && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &p, 0, 0) == 0);
  }

private:
  sock_fprog program() { return {static_cast<unsigned short>(bytes / sizeof(sock_filter)), code}; }
};

} // namespace ke
