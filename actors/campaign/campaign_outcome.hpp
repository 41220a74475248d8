#pragma once

#include "runtime/core/result.hpp"

#include <string>

namespace ke {

/// How a session of a campaign ended.
struct campaign_outcome {
  std::string state;   ///< finished | paused | failed
  std::string reason;  ///< product.md "stop_reason"
  bool proven = false; ///< better than the baseline (untimed: correct)
  failure why;         ///< paused: out of credit...; failed: what
};

} // namespace ke
