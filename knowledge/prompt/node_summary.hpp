#pragma once

#include "runtime/core/evidence_summary.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/core/timing_decision.hpp"
#include "runtime/core/verdict.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace ke {

/// An evaluated node, for prompts: small, immutable, shared.
struct node_summary {
  std::uint32_t node = 0;
  node_state state = node_state::planned;
  timing_decision decision = timing_decision::none;
  std::optional<double> score;
  std::string source;        ///< empty if only plan and result are wanted
  std::string source_digest; ///< normalised
  std::string plan;          ///< first sentence of the answer's rationale, bounded
  std::string reason;        ///< of a failure: first line, bounded
  std::string log;           ///< bounded text of compiler or candidate, quoted in the prompt
  std::optional<mismatch> first_failure;
  std::optional<timing_summary> timing;
  std::optional<ke::diagnosis> diagnosis;
};

} // namespace ke
