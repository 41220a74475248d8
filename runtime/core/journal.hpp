#pragma once

#include "runtime/core/fields.hpp"
#include "runtime/core/node_number.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/core/result.hpp"
#include "runtime/core/timing_decision.hpp"
#include "runtime/core/token_usage.hpp"
#include "runtime/core/verdict_state.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ke {

/// A process took the campaign up. In-flight nodes of the previous session are re-driven.
struct journal_session {
  std::uint64_t epoch = 0;
};
KE_FIELDS(journal_session, x.epoch)

/// Of a step's children: no limit but their number.
inline constexpr std::uint32_t no_limit = 0xffffffff;

/// The policy was asked for `count` children. The fold reruns it and must choose the same ones. `first`, the
/// first new node id, checks that.
struct journal_stepped {
  std::uint32_t tree = 0;
  std::uint32_t count = 0;
  std::uint32_t first = 0;
  std::uint32_t most_written = no_limit; ///< of the children: at most this many candidates of the budget
  std::uint32_t most_tuned = no_limit;   ///< of the children: at most this many points of templates
};
KE_FIELDS(journal_stepped, x.tree, x.count, x.first, x.most_written, x.most_tuned)

/// Committed before a paid request leaves.
struct journal_asked {
  std::uint32_t tree = 0, node = 0, attempt = 0;
  std::string model;
  std::string prompt_digest;
  reservation reserved;
};
KE_FIELDS(journal_asked, x.tree, x.node, x.attempt, x.model, x.prompt_digest, x.reserved)

/// One try of a request failed. It is charged, and sent again unless `last`. The call stays out, with its
/// reservation, until `replied` or `advised`.
struct journal_failed_request {
  std::uint32_t tree = 0, node = 0, attempt = 0;
  failure_kind kind = failure_kind::none;
  std::string text;
  token_usage usage;
  token_usage estimated; ///< of `usage`
  call_meter meter;
  bool last = false; ///< no budget is left for another try
};
KE_FIELDS(journal_failed_request, x.tree, x.node, x.attempt, x.kind, x.text, x.usage, x.estimated, x.meter,
          x.last)

struct further_candidate {
  std::string source_digest; ///< blob
  std::string plan;
};
KE_FIELDS(further_candidate, x.source_digest, x.plan)

/// Right after `configured`: solutions of earlier campaigns to begin with, nearest first. Later: a
/// dispatcher, then the normalised digest of each part (docs/decisions/0037).
struct journal_seeded {
  std::uint32_t tree = 0;
  std::vector<further_candidate> seeds; ///< `plan` says where each comes from
};
KE_FIELDS(journal_seeded, x.tree, x.seeds)

/// The call ended. Kind none: `source_digest` is the candidate. Else the answer was of no use (no_code,
/// refused, duplicate...). Attempt 0: no call; an earlier answer gave the candidate.
struct journal_replied {
  std::uint32_t tree = 0, node = 0, attempt = 0;
  failure_kind kind = failure_kind::none;
  std::string reply_digest;
  std::string source_digest;     ///< blob digest of the source text
  std::string normalised_digest; ///< source_digest() of it, the duplicate filter's key
  token_usage usage;
  bool unknown = false; ///< nobody heard how it ended; without `estimated`: charged at its reservation
  /// The kind of candidate, opaque to the search: four bytes of fixed meaning, the first one lowest.
  /// Candidates with the same value compete for one cell (`evolution`).
  std::uint32_t descriptor = 0;
  std::vector<further_candidate> more; ///< other candidates of the same answer
  std::vector<std::uint32_t> space;    ///< of a template: the number of values of each parameter,
  std::vector<std::uint32_t> point;    ///< and which of them its source stands at
  token_usage estimated;               ///< of `usage`
  call_meter meter;
  bool unsent = false;             ///< its last send never happened: no request
  std::string form_digest;         ///< form_digest() of the source; empty: equal to `normalised_digest`
  std::uint32_t repeats = no_node; ///< kind duplicate: the judged node that has this candidate already
};
KE_FIELDS(journal_replied, x.tree, x.node, x.attempt, x.kind, x.reply_digest, x.source_digest,
          x.normalised_digest, x.usage, x.unknown, x.descriptor, x.more, x.space, x.point, x.estimated,
          x.meter, x.unsent, x.form_digest, x.repeats)
KE_OPTIONAL_TAIL(journal_replied, 2)

/// A sub-agent's call is stored with attempt = agent_attempts + number, so that it sorts after its node's
/// own.
inline constexpr std::uint32_t agent_attempts = 1u << 20;

/// A sub-agent's call is about to leave, for the prompt of `node`. `number` counts these calls over the
/// campaign, from 1.
struct journal_agent_asked {
  std::uint32_t tree = 0, node = 0, number = 0;
  std::string agent; ///< memory | research
  std::string model;
  std::string prompt_digest; ///< blob
  reservation reserved;
};
KE_FIELDS(journal_agent_asked, x.tree, x.node, x.number, x.agent, x.model, x.prompt_digest, x.reserved)

/// A sub-agent's call ended. Without usage it cost nothing.
struct journal_agent_replied {
  std::uint32_t number = 0;
  failure_kind kind = failure_kind::none;
  std::string reply_digest;
  token_usage usage;
  bool unknown = false;  ///< nobody heard how it ended; without `estimated`: charged at its reservation
  token_usage estimated; ///< of `usage`
  call_meter meter;
  bool unsent = false; ///< its last send never happened: no request
};
KE_FIELDS(journal_agent_replied, x.number, x.kind, x.reply_digest, x.usage, x.unknown, x.estimated, x.meter,
          x.unsent)

/// The reference was measured as its own candidate on one target, before a model is asked anything for it.
/// The tree does not depend on it.
struct journal_admitted {
  std::uint32_t tree = 0, target = 0;
  verdict_state state = verdict_state::harness_error;
  std::string verdict_digest; ///< key in `verdicts`
  double device_s = 0;
  std::string why; ///< the verdict's reason, if it is not admitted
};
KE_FIELDS(journal_admitted, x.tree, x.target, x.state, x.verdict_digest, x.device_s, x.why)

struct journal_judged {
  std::uint32_t tree = 0, node = 0, target = 0;
  verdict_state state = verdict_state::harness_error;
  timing_decision decision = timing_decision::none;
  std::optional<double> score;
  std::string verdict_digest; ///< key in `verdicts`
  double device_s = 0;
  std::uint32_t duplicate_of = no_node;
  double noise = 0;               ///< the score's interval, one side, relative to the score; 0: not known
  std::optional<double> roofline; ///< reached share of the machine's limit
  std::string bottleneck;         ///< of the diagnosis; empty: none
};
KE_FIELDS(journal_judged, x.tree, x.node, x.target, x.state, x.decision, x.score, x.verdict_digest,
          x.device_s, x.duplicate_of, x.noise, x.roofline, x.bottleneck)
KE_OPTIONAL_TAIL(journal_judged, 1)

/// A node ended without a verdict: unanswered, cancelled or poisoned.
struct journal_ended {
  std::uint32_t tree = 0, node = 0;
  node_state state = node_state::cancelled;
  std::string why;
};
KE_FIELDS(journal_ended, x.tree, x.node, x.state, x.why)

/// A finalist was measured again for a claim on one target (trust.md 2.6), or could not be: `harness_error`.
struct journal_claimed {
  std::uint32_t tree = 0, node = 0, target = 0;
  verdict_state state = verdict_state::harness_error;
  timing_decision decision = timing_decision::none;
  std::optional<double> score;
  std::string verdict_digest; ///< key in `verdicts`
  double device_s = 0;
  std::string worker; ///< who measured it, by name
  std::string device; ///< on which of its devices, as announced ("nvidia-h200#2")
};
KE_FIELDS(journal_claimed, x.tree, x.node, x.target, x.state, x.decision, x.score, x.verdict_digest,
          x.device_s, x.worker, x.device)

/// A confirmed finalist was measured once more on another device of the class (docs/decisions/0070).
struct journal_validated {
  journal_claimed there;
};
KE_FIELDS(journal_validated, x.there)

struct journal_steered {
  std::string act; ///< pause | resume | stop | hint | set
  std::string key;
  std::string value;
};
KE_FIELDS(journal_steered, x.act, x.key, x.value)

struct journal_finished {
  std::string reason; ///< product.md "stop_reason"
};
KE_FIELDS(journal_finished, x.reason)

} // namespace ke
