#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace ke {

/// How long the writer lets a transaction's group grow. Writers just acknowledged often come back at once; a
/// transaction that starts with the first of them makes the others wait for two syncs. So while fewer are
/// queued than half the last group, the writer waits for a group of that size. It waits at most an eighth of
/// the last transaction's time; a fast disk or a lone writer does not wait.
class group_window {
public:
  static constexpr std::chrono::nanoseconds longest = std::chrono::milliseconds{5};

  /// A group has been acknowledged; its transaction took this long.
  void served(std::size_t group, std::chrono::nanoseconds took) {
    group_ = group;
    wait_ = std::min(took / 8, longest);
  }
  /// Longest wait with this many queued; zero: begin.
  std::chrono::nanoseconds wait_with(std::size_t queued) const {
    return queued < group_ / 2 ? wait_ : std::chrono::nanoseconds{0};
  }
  /// Queued batches that end the wait early.
  std::size_t enough() const { return group_; }

private:
  std::size_t group_ = 0;
  std::chrono::nanoseconds wait_{0};
};

} // namespace ke
