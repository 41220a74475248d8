#pragma once

#include "runtime/core/names.hpp"

#include <cstdint>

namespace ke {

enum class verdict_state : std::uint8_t;

/// product.md "Node states": the steps of a candidate, then its verdict, or an end without one.
enum class node_state : std::uint8_t {
  planned,
  asked,
  answered,
  building,
  measuring,
  correct,
  incorrect,
  nondeterministic,
  build_failed,
  crashed,
  timeout,
  resource_exceeded,
  policy_violation,
  cheating_suspected,
  noisy,
  unfit_problem,
  harness_error,
  compiled,
  unanswered,
  cancelled,
  poisoned,
};
KE_NAMES(node_state, 21, "planned", "asked", "answered", "building", "measuring", "correct", "incorrect",
         "nondeterministic", "build_failed", "crashed", "timeout", "resource_exceeded", "policy_violation",
         "cheating_suspected", "noisy", "unfit_problem", "harness_error", "compiled", "unanswered",
         "cancelled", "poisoned")

constexpr node_state state_of(verdict_state v) {
  return static_cast<node_state>(static_cast<unsigned>(v) + static_cast<unsigned>(node_state::correct));
}
constexpr bool is_open(node_state s) {
  return s <= node_state::measuring;
}
constexpr bool has_verdict(node_state s) {
  return s >= node_state::correct && s <= node_state::compiled;
}

} // namespace ke
