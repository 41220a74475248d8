#include "backends/judge/drivers/awake_processor.hpp"

#include "backends/judge/stopwatch.hpp"

#include <pthread.h>
#include <sched.h>
#include <time.h>

#include <utility>

namespace ke {

awake_processor::awake_processor(int cpu) : thread_{[this, cpu] { work(cpu); }} {}

awake_processor::~awake_processor() {
  turn_to(task::end);
  thread_.join();
}

void awake_processor::work(int cpu) {
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(cpu, &one);
  const sched_param none{};
  if (pthread_setaffinity_np(pthread_self(), sizeof one, &one) != 0 ||
      pthread_setschedparam(pthread_self(), SCHED_IDLE, &none) != 0)
    return; // it would be in the way
  for (task now; (now = task_.load()) != task::end;)
    if (now == task::rest)
      task_.wait(task::rest);
    else
      spin_until_told();
}

void awake_processor::spin_until_told() {
  constexpr int between_clocks = 1024;
  for (auto begun = steady::now(); seconds_since(begun) < most_s;)
    for (int i = 0; i < between_clocks; ++i) {
      if (task_.load(std::memory_order_relaxed) != task::spin)
        return;
#ifdef __x86_64__
      __builtin_ia32_pause();
#endif
    }
  auto spinning = task::spin;
  task_.compare_exchange_strong(spinning, task::rest);
}

void awake_processor::turn_to(task what) {
  task_ = what;
  task_.notify_one();
}

void awake_processor::spin() {
  turn_to(task::spin);
}

void awake_processor::rest() {
  task_ = task::rest; // it looks by itself
}

double awake_processor::taken_s() {
  clockid_t clock{};
  timespec now{};
  if (pthread_getcpuclockid(thread_.native_handle(), &clock) != 0 || clock_gettime(clock, &now) != 0)
    return 0; // it has ended
  double s = static_cast<double>(now.tv_sec) + 1e-9 * static_cast<double>(now.tv_nsec);
  return s - std::exchange(seen_s_, s);
}

} // namespace ke
