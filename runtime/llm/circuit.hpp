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

/// Keeps a provider that fails from being asked by everybody: closed (ask), open (nobody asks), half-open
/// (one probe is out), blocked (401, out of credit, a model or a program that is not there: only `reset`
/// helps). A Retry-After holds the whole provider without opening it. Pure: time is an argument that never
/// runs back.
class circuit {
public:
  using time_point = std::chrono::steady_clock::time_point;

  explicit circuit(circuit_policy policy = {}) : policy_{policy} {}

  /// Whether a request may leave now. Half-open: yes once, and that request is the probe; report its end.
  bool admit(time_point now);
  /// When `admit` may next say yes; nullopt: now, or (blocked, or a probe is out) not by waiting.
  std::optional<time_point> next(time_point now) const;

  void success();
  /// Answer faults (malformed, empty, refused...) count as success: the provider is there.
  void fail(const failure& why, std::optional<std::chrono::milliseconds> retry_after, time_point now);
  /// The provider takes no request as it is configured (HTTP 404 for its model...): only `reset` helps.
  void block(const failure& why);
  /// A request that was admitted ended untold (cancelled).
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
