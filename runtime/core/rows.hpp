#pragma once

#include "runtime/core/fields.hpp"
#include "runtime/core/memory_kind.hpp"
#include "runtime/core/node_number.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/core/timing_decision.hpp"
#include "runtime/core/token_usage.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ke {

struct campaign_row {
  std::uint32_t id = 0;
  std::string name;
  std::string state; ///< running | paused | finished | failed
  std::string stop_reason;
  std::string settings_digest; ///< blob: pack(campaign_settings)
  std::string problem_digest;  ///< blob: pack(problem)
  std::uint64_t created_unix_ms = 0;
  std::uint64_t wall_ms = 0;
  std::uint32_t best_tree = 0;
  std::uint32_t best_node = no_node;
  double best_score = 0;
  std::uint64_t requests = 0;
  token_usage spend;
  double device_s = 0;
  std::map<std::string, std::uint64_t> failures; ///< by kind, retried ones too
  std::map<std::string, std::uint64_t> states;   ///< nodes by state
  std::vector<std::string> trees;                ///< backend of each tree
  std::uint64_t agent_calls = 0;                 ///< of sub-agents; in `requests`, too
  token_usage agent_spend;                       ///< of these; in `spend`, too
  token_usage estimated;                         ///< of `spend`: what no provider has told
  std::uint64_t unheard = 0;                     ///< of `requests`: nobody heard how they ended
  std::string pause_reason;                      ///< of a paused one: why, and what to do
  std::uint64_t tuned = 0;                       ///< points of templates that have ended; in `states`, too
};
KE_FIELDS(campaign_row, x.id, x.name, x.state, x.stop_reason, x.settings_digest, x.problem_digest,
          x.created_unix_ms, x.wall_ms, x.best_tree, x.best_node, x.best_score, x.requests, x.spend,
          x.device_s, x.failures, x.states, x.trees, x.agent_calls, x.agent_spend, x.estimated, x.unheard,
          x.pause_reason, x.tuned)

/// The 64-byte index row (sub-database `hot`): what selection needs after a restart.
struct hot_row {
  std::uint32_t parent = no_node;
  std::uint32_t parent2 = no_node;
  node_state state = node_state::planned;
  timing_decision decision = timing_decision::none;
  std::uint16_t depth = 0;
  std::uint32_t visits = 0;
  double value = 0;  ///< sum of rewards backed up
  double score = -1; ///< own score, geometric mean over targets; -1: none
};
KE_FIELDS(hot_row, x.parent, x.parent2, x.state, x.decision, x.depth, x.visits, x.value, x.score)

/// One node, as `show` and `tree` print it.
struct node_row {
  std::vector<std::uint32_t> parents;
  node_state state = node_state::planned;
  std::vector<std::optional<double>> scores; ///< per target
  timing_decision decision = timing_decision::none;
  std::string model;
  memory_kind memory = memory_kind::adaptive;
  std::string prompt_digest; ///< prompt_key: of its text but for what is measured anew
  std::string reply_digest;
  std::string source_digest;
  std::vector<std::string> verdict_digests; ///< per target, keys of `verdicts`
  std::uint32_t duplicate_of = no_node;
  std::uint32_t attempts = 0;
  std::uint64_t planned_ms = 0, asked_ms = 0, answered_ms = 0, judged_ms = 0; ///< campaign time of each step
  token_usage usage;
  double device_s = 0;
  std::string note;                 ///< the plan of its answer, or why it ended without a verdict
  std::string sections_digest;      ///< blob: pack(vector<stored_section>)
  std::vector<std::string> shown;   ///< ids of the documents and skills in its prompt, best first
  std::vector<std::string> dropped; ///< names of sections that the prompt's token budget had no room for
};
KE_FIELDS(node_row, x.parents, x.state, x.scores, x.decision, x.model, x.memory, x.prompt_digest,
          x.reply_digest, x.source_digest, x.verdict_digests, x.duplicate_of, x.attempts, x.planned_ms,
          x.asked_ms, x.answered_ms, x.judged_ms, x.usage, x.device_s, x.note, x.sections_digest, x.shown,
          x.dropped)

/// Evidence of a claim has key target + evidence_of_claims.
inline constexpr std::uint32_t evidence_of_claims = 1u << 16;
/// And of a second device's look at a claim.
inline constexpr std::uint32_t evidence_of_validations = 1u << 17;

} // namespace ke
