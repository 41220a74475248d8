#pragma once

#include <sched.h>
#include <time.h>

#include <cstdint>
#include <cstdlib>

// For ke-driver and ke-cuda-driver, which live beside hostile code or text: no library behind it.

namespace ke {

/// This process's own clock: a diagnostic, never a time that counts.
inline std::uint64_t now_ns() {
  timespec t{};
  clock_gettime(CLOCK_MONOTONIC, &t);
  return static_cast<std::uint64_t>(t.tv_sec) * 1'000'000'000u + static_cast<std::uint64_t>(t.tv_nsec);
}

/// Keeps this process on these processors, a list with commas; empty: on any.
inline void stay_on(const char* cpus) {
  cpu_set_t set;
  CPU_ZERO(&set);
  for (const char* at = cpus; *at;) {
    char* end = nullptr;
    long cpu = std::strtol(at, &end, 10);
    if (end == at)
      break;
    if (cpu >= 0 && cpu < CPU_SETSIZE)
      CPU_SET(static_cast<int>(cpu), &set);
    at = *end == ',' ? end + 1 : end;
  }
  if (CPU_COUNT(&set) > 0)
    sched_setaffinity(0, sizeof set, &set);
}

} // namespace ke
