#pragma once

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <deque>
#include <optional>

namespace ke {

/// How often a child may fail before its supervisor gives up, and how long it waits after a failure. After
/// Erlang/OTP's supervisor: more than `intensity` failures within `period` is too many.
struct restart_policy {
  int intensity = 5;
  std::chrono::nanoseconds period = std::chrono::minutes{1};
  std::chrono::nanoseconds floor = std::chrono::milliseconds{100};
  std::chrono::nanoseconds ceiling = std::chrono::seconds{10};
  /// Random share of the delay, so that children felled together don't return together.
  double jitter = 0.1;
};

/// The recent failures of one child. Pure: the caller brings the randomness and the time, which must not run
/// backwards.
class restart_window {
public:
  using time_point = std::chrono::steady_clock::time_point;

  explicit restart_window(restart_policy policy) : policy_{policy} {}

  /// Records a failure at `now`. Returns the delay before the next start: doubled from `floor` to `ceiling`
  /// by each failure still in the window, less up to `jitter` of it (`chance` in [0, 1)). Nothing: failed too
  /// often.
  std::optional<std::chrono::nanoseconds> fail(time_point now, double chance = 0) {
    while (!failures_.empty() && now - failures_.front() > policy_.period)
      failures_.pop_front();
    failures_.push_back(now);
    if (static_cast<int>(failures_.size()) > policy_.intensity)
      return std::nullopt;
    auto delay = policy_.floor;
    for (std::size_t i = 1; i < failures_.size() && delay < policy_.ceiling; ++i)
      delay *= 2;
    delay = std::min(delay, policy_.ceiling);
    return delay -
           std::chrono::nanoseconds{static_cast<std::int64_t>(delay.count() * policy_.jitter * chance)};
  }

private:
  restart_policy policy_;
  std::deque<time_point> failures_;
};

} // namespace ke
