#pragma once

#include "runtime/core/result.hpp"

#include <chrono>
#include <optional>

namespace ke {

struct circuit_policy {
  int failures = 5;                           ///< in a row until it opens
  std::chrono::milliseconds open_for{10'000}; ///< doubles with each failed probe
  std::chrono::milliseconds ceiling{300'000};
};

enum class circuit_state { closed, open, half_open, blocked };

/// Keeps a failing provider from being asked by everybody. Closed: ask. Open: nobody asks. Half-open: one
/// probe is out. Blocked (401, no credit, no such model or program): only `reset` helps. A Retry-After holds
/// the whole provider without opening the circuit. Pure: time is an argument and never runs back.
class circuit {
public:
  using time_point = std::chrono::steady_clock::time_point;

  explicit circuit(circuit_policy policy = {}) : policy_{policy} {}

  /// Whether a request may leave now. Half-open: once; that request is the probe: report its end.
  bool admit(time_point now);
  /// When `admit` may next say yes; nullopt: now, or waiting does not help (blocked, or a probe is out).
  std::optional<time_point> next(time_point now) const;

  void success();
  /// Answer faults (malformed, empty, refused...) count as success: the provider is there.
  void fail(const failure& why, std::optional<std::chrono::milliseconds> retry_after, time_point now);
  /// The provider refuses all requests as configured (HTTP 404 for its model...): only `reset` helps.
  void block(const failure& why);
  /// An admitted request ended without telling anything (cancelled).
  void forget();
  /// A person says go on (resume after a pause).
  void reset();

  circuit_state state() const { return state_; }
  /// Why it is blocked or open.
  const failure& why() const { return why_; }

private:
  void open(time_point now);

  circuit_policy policy_;
  circuit_state state_ = circuit_state::closed;
  int in_a_row_ = 0;
  int openings_ = 0;
  time_point until_{};
  failure why_;
};

} // namespace ke
