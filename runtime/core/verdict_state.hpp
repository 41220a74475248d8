#pragma once

#include "runtime/core/names.hpp"

#include <cstdint>

namespace ke {

/// product.md "Verdict", in the order of that list; not by precedence.
enum class verdict_state : std::uint8_t {
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
};
KE_NAMES(verdict_state, 13, "correct", "incorrect", "nondeterministic", "build_failed", "crashed", "timeout",
         "resource_exceeded", "policy_violation", "cheating_suspected", "noisy", "unfit_problem",
         "harness_error", "compiled")

} // namespace ke
