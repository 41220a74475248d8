// Time stamps at the loops of an instrumented copy (job "stamped" of backend.toml), included by its harness
// alone. Each tick charges the cycles since the last one to the loop of that one; the first changes from one
// loop to another are kept with their times. One thread. What it prints is read by backends/loop_times.
#pragma once

#include <stdint.h>
#include <stdio.h>
#include <time.h>

/// Made by the transform "ticks": which loop is which, a line each.
extern "C" const char ke_loop_table[];

namespace ke_ticks {

constexpr int loops = 256, kept = 4096;
inline uint64_t turns[loops], cycles[loops], least, at[kept], first, last, zero, zero_ns;
inline int who[kept], n, current = -1;

inline uint64_t now_ns() {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return uint64_t(t.tv_sec) * 1000000000u + uint64_t(t.tv_nsec);
}

} // namespace ke_ticks

extern "C" inline __attribute__((used)) void ke_tick(int id) {
  using namespace ke_ticks;
  uint64_t now = __builtin_readcyclecounter();
  if (current >= 0) {
    uint64_t d = now - last;
    cycles[current] += d;
    if (d < least)
      least = d;
  } else {
    first = now;
  }
  if (n < kept && id != current) {
    who[n] = id;
    at[n++] = now - first;
  }
  current = id & (loops - 1);
  ++turns[current];
  last = __builtin_readcyclecounter();
}

extern "C" inline __attribute__((used, visibility("default"))) void ke_ticks_reset() {
  using namespace ke_ticks;
  for (int i = 0; i < loops; ++i)
    turns[i] = cycles[i] = 0;
  n = 0;
  current = -1;
  least = ~uint64_t(0);
  zero_ns = now_ns();
  zero = __builtin_readcyclecounter();
}

extern "C" inline __attribute__((used, visibility("default"))) void ke_ticks_print() {
  using namespace ke_ticks;
  uint64_t now = __builtin_readcyclecounter();
  if (current >= 0)
    cycles[current] += now - last;
  uint64_t ns; // long enough that what reading the two clocks takes does not count
  while ((ns = now_ns() - zero_ns) < 2000000u) {
  }
  uint64_t counted = __builtin_readcyclecounter() - zero;
  printf("\nke-ticks 2\n%sclock %llu %llu\nleast %llu\n", ke_loop_table, (unsigned long long)counted,
         (unsigned long long)ns, (unsigned long long)(least == ~uint64_t(0) ? 0 : least));
  for (int i = 0; i < loops; ++i)
    if (turns[i])
      printf("loop %d %llu %llu\n", i, (unsigned long long)turns[i], (unsigned long long)cycles[i]);
  for (int i = 0; i < n; ++i)
    printf("tick %d %llu\n", who[i], (unsigned long long)at[i]);
  if (n > 0 && n < kept)
    printf("end %llu\n", (unsigned long long)(now - first));
  fflush(stdout);
}
