#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace ke {

/// How long the writer lets a transaction's group grow. Whoever was acknowledged a moment ago often comes
/// back at once with the next batch; a transaction that starts with the first of them makes the others wait
/// for two syncs. So while fewer are queued than half the last group, the writer waits for as many as that
/// was, but no longer than an eighth of what that transaction took: a fast disk or a lone writer waits for
/// nobody.
class group_window {
public:
  static constexpr std::chrono::nanoseconds longest = std::chrono::milliseconds{5};

  /// A group has been acknowledged; its transaction took this long.
  void served(std::size_t group, std::chrono::nanoseconds took) {
    group_ = group;
    wait_ = std::min(took / 8, longest);
  }
  /// What to wait for at most, now that so many are queued; zero: begin.
  std::chrono::nanoseconds wait_with(std::size_t queued) const {
    return queued < group_ / 2 ? wait_ : std::chrono::nanoseconds{0};
  }
  /// So many are enough to begin before the time is over.
  std::size_t enough() const { return group_; }

private:
  std::size_t group_ = 0;
  std::chrono::nanoseconds wait_{0};
};

} // namespace ke
