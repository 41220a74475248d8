#include "runtime/llm/circuit.hpp"

#include <algorithm>

namespace ke {

bool circuit::admit(time_point now) {
  switch (state_) {
  case circuit_state::closed:
    return now >= until_;
  case circuit_state::open:
    if (now < until_)
      return false;
    state_ = circuit_state::half_open;
    return true;
  case circuit_state::half_open:
  case circuit_state::blocked:
    return false;
  }
  return false;
}

std::optional<circuit::time_point> circuit::next(time_point now) const {
  if (state_ == circuit_state::half_open || state_ == circuit_state::blocked || now >= until_)
    return std::nullopt;
  return until_;
}

void circuit::success() {
  in_a_row_ = 0;
  if (state_ == circuit_state::blocked)
    return; // an answer that was on its way before the account was refused
  openings_ = 0;
  state_ = circuit_state::closed;
  why_ = {};
}

void circuit::fail(const failure& why, std::optional<std::chrono::milliseconds> retry_after, time_point now) {
  switch (why.kind) {
  case failure_kind::auth:
  case failure_kind::credit:
  case failure_kind::missing:
    return block(why);
  case failure_kind::rate_limited:
    if (state_ == circuit_state::half_open)
      state_ = circuit_state::closed; // it answers again
    until_ = std::max(until_, now + retry_after.value_or(std::chrono::milliseconds{0}));
    return;
  case failure_kind::server_error:
  case failure_kind::connection:
  case failure_kind::timeout:
    if (state_ == circuit_state::blocked)
      return;
    why_ = why;
    if (state_ == circuit_state::half_open || ++in_a_row_ >= policy_.failures)
      open(now);
    if (retry_after)
      until_ = std::max(until_, now + *retry_after);
    return;
  case failure_kind::cancelled:
    return forget();
  default:
    return success();
  }
}

void circuit::block(const failure& why) {
  state_ = circuit_state::blocked;
  why_ = why;
}

void circuit::forget() {
  if (state_ == circuit_state::half_open)
    state_ = circuit_state::open; // `until_` is past: the next request is the probe
}

void circuit::reset() {
  *this = circuit{policy_};
}

void circuit::open(time_point now) {
  if (state_ == circuit_state::open)
    return; // answers of requests that left before it opened
  auto pause = policy_.open_for * (1ll << std::min(openings_, 20));
  until_ = now + std::min<std::chrono::milliseconds>(pause, policy_.ceiling);
  ++openings_;
  in_a_row_ = 0;
  state_ = circuit_state::open;
}

} // namespace ke
