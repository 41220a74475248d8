#pragma once

#include "runtime/core/skill.hpp"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ke {

struct candidate_language;
struct node_summary;
struct problem;

/// One step from the reference to a winner.
struct proven_step {
  std::shared_ptr<const node_summary> parent; ///< with source; null: the reference
  std::shared_ptr<const node_summary> node;   ///< with source
  std::uint32_t tree = 0;
  bool seed = false; ///< of a warm start: an earlier campaign's solution, so nothing was learnt here
};

/// Where the steps were made.
struct distil_context {
  std::string store, campaign;
  const ke::problem* problem = nullptr;
  const candidate_language* language = nullptr; ///< of the solutions; not null
  std::vector<std::string> targets;             ///< names that documents use
  std::vector<skill_claim> claims; ///< of the last step's node, as confirmed; none: it is not proven
};

/// Skills by rule, without a model: for each step that gained beyond the noise of both measurements (disjoint
/// intervals), the plan, the parent's bottleneck, and the bounded change without comments (skill_change.hpp).
/// Seeds give none, steps from them do. A step from the reference has no measured parent, and gives one only
/// if its own interval lies above 1. And for each step that repaired a failed parent: what was seen of the
/// failure, the plan, and the lines that changed, if they are few (skill::failure). Pure.
std::vector<skill> distil(const std::vector<proven_step>& chain, const distil_context& where);

/// The text for a prompt: the skill, when it applies, the claim's numbers for the whole solution, and the
/// search's for the step. Without a claim it says so.
std::string shown_skill(const skill& s);

} // namespace ke
