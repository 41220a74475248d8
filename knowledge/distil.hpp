#pragma once

#include "knowledge/prompt.hpp"
#include "runtime/core/skill.hpp"

#include <memory>
#include <string>
#include <vector>

namespace ke {

/// One step on the way from the reference to a winner.
struct proven_step {
  std::shared_ptr<const node_card> parent; ///< with source; null: the reference
  std::shared_ptr<const node_card> node;   ///< with source
  std::uint32_t tree = 0;
  bool seed = false; ///< a warm start's: an earlier campaign's solution, by which nothing was learnt here
};

/// Where the steps were made.
struct distil_context {
  std::string store, campaign;
  const ke::problem* problem = nullptr;
  const candidate_language* language = nullptr; ///< of the solutions; not null
  std::vector<std::string> targets;             ///< names that documents use
  std::vector<skill_claim> claims; ///< of the last step's node, as confirmed; none: it is not proven
};

/// Skills by rule, without a model: of each step that gained beyond the noise of both measurements (the
/// intervals don't meet), what was planned, what limited the parent, and the change itself without comments,
/// bounded (skill_change.hpp). Seeds give none, but steps from them do. A step from the reference has no
/// parent to compare with and gives none unless its own interval lies above 1. Pure.
std::vector<skill> distil(const std::vector<proven_step>& chain, const distil_context& where);

/// The text a prompt shows: the skill, when it applies, the claim's numbers of the solution that it is part
/// of, and what the search had measured of the step. Without a claim it says so.
std::string shown_skill(const skill& s);

} // namespace ke
