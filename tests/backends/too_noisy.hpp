#pragma once

#include "backends/verdict/verdict_rules.hpp"
#include "runtime/core/verdict.hpp"
#include "runtime/core/verdict_state.hpp"

#include <catch2/catch.hpp>

namespace ke_test {

/// Whether this machine could not time it, however often it was asked (`judge_timed`): the honest answer of a
/// judge whose neighbours are loud, which says nothing of either kernel. The test says so and ends.
inline bool too_noisy(const ke::verdict& v) {
  if (v.state != ke::verdict_state::noisy)
    return false;
  WARN("not timed, the machine is too noisy: " << v.reason);
  return true;
}

} // namespace ke_test
