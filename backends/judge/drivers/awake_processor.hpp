#pragma once

#include <atomic>
#include <cstdint>
#include <thread>

namespace ke {

/// Keeps one processor from falling asleep between the orders of the drivers that work there: a thread that spins on it
/// while they are stopped. Where it gives way, a driver that was woken goes on within some us; a processor that sleeps
/// wakes it some 100 us later, and varies by as much, in a guest above all (decision 0071). Of the lowest class: others
/// who want the processor get it. One thread asks.
class awake_processor {
public:
  explicit awake_processor(int cpu);
  ~awake_processor();
  awake_processor(const awake_processor&) = delete;
  awake_processor& operator=(const awake_processor&) = delete;

  /// From now on it spins, unless nobody is woken for `most_s`: nothing that is measured runs there.
  void spin();
  static constexpr double most_s = 0.05; ///< no order is that near to the one before
  /// It gives way, to whom was just woken.
  void rest();

  /// CPU seconds that it spent since this was asked the last time.
  double taken_s();

private:
  enum class task : std::uint32_t { rest, spin, end };
  void work(int cpu);
  void spin_until_told();
  void turn_to(task);

  std::atomic<task> task_ = task::rest;
  double seen_s_ = 0;
  std::thread thread_; ///< last: it reads the others
};

} // namespace ke
