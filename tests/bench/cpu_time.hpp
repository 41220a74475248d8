#pragma once

#include <sys/resource.h>

namespace ke::bench {

/// Processor seconds so far, user and system; `who` as of getrusage (RUSAGE_SELF, or RUSAGE_CHILDREN: those
/// that were waited for).
inline double cpu_seconds(int who) {
  rusage used{};
  ::getrusage(who, &used);
  auto s = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return s(used.ru_utime) + s(used.ru_stime);
}

} // namespace ke::bench
