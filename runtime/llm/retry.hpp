#pragma once

#include "runtime/core/result.hpp"

#include <chrono>
#include <optional>

namespace ke {

/// When a failed request is sent again.
struct retry_policy {
  int transport_tries = 6; ///< sends in all while the provider is limited, broken or away
  int answer_tries = 2;    ///< sends in all while answers are malformed, empty or cut
  std::chrono::milliseconds floor{500};
  std::chrono::milliseconds ceiling{60'000};
  std::chrono::milliseconds longest_hint{3'600'000}; ///< a Retry-After beyond this is not waited for
};

/// The failures of one request so far. Pure: time and chance are arguments.
class retry_history {
public:
  explicit retry_history(retry_policy policy = {}) : policy_{policy} {}

  /// Counts `why`; returns the wait before the next send, or nothing: give up. `hint` is the provider's
  /// Retry-After: never sent earlier. Without one the wait doubles from `floor` to `ceiling`. `chance` in [0,
  /// 1) spreads both.
  std::optional<std::chrono::milliseconds> fail(const failure& why,
                                                std::optional<std::chrono::milliseconds> hint, double chance);

  int failures() const { return transport_ + answer_; }

private:
  retry_policy policy_;
  int transport_ = 0;
  int answer_ = 0;
};

} // namespace ke
