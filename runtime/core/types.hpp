#pragma once

#include "runtime/core/fields.hpp"
#include "runtime/core/names.hpp"
#include "runtime/core/result.hpp"
#include "runtime/core/settings.hpp"
#include "runtime/core/verdict.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ke {

/// A search-tree node's place: campaign (store-wide number), tree (one per backend), node (0 is the reference
/// root).
struct node_key {
  std::uint32_t campaign = 0;
  std::uint32_t tree = 0;
  std::uint32_t node = 0;
};
KE_FIELDS(node_key, x.campaign, x.tree, x.node)
inline bool operator<(const node_key& a, const node_key& b) {
  return fields(a) < fields(b);
}

inline constexpr std::uint32_t no_node = 0xffffffff;

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

struct token_usage {
  std::uint64_t input_tokens = 0;
  std::uint64_t output_tokens = 0;
  std::uint64_t cached_tokens = 0;
  double usd = 0;

  token_usage& operator+=(const token_usage& o) {
    input_tokens += o.input_tokens;
    output_tokens += o.output_tokens;
    cached_tokens += o.cached_tokens;
    usd += o.usd;
    return *this;
  }
};
KE_FIELDS(token_usage, x.input_tokens, x.output_tokens, x.cached_tokens, x.usd)

/// Known sizes of a call, for the part of the usage that its provider has not told. All zero if the call is
/// not billed: it never left, or a status refused it.
struct call_meter {
  std::uint64_t sent_bytes = 0;     ///< of the prompt
  std::uint64_t received_bytes = 0; ///< of the answer, with thoughts that were shown
  std::uint64_t untold_bytes = 0;   ///< of these, what came after the last told usage
  bool told_input = false;
};
KE_FIELDS(call_meter, x.sent_bytes, x.received_bytes, x.untold_bytes, x.told_input)

/// The charge of a call: usage told by the provider, and an estimate by size for the rest.
struct call_charge {
  token_usage usage;
  token_usage estimated; ///< part of `usage`
};

/// A paid call in two phases: reserved at its worst case before it leaves, settled when its answer is stored.
struct reservation {
  std::uint64_t tokens = 0;
  double usd = 0;
};
KE_FIELDS(reservation, x.tokens, x.usd)

// -- the journal: one record per input to the pure core; the tree and the ledger are folds of it --

enum class journal_kind : std::uint8_t {
  configured,
  session,
  stepped,
  asked,
  replied,
  judged,
  ended,
  steered,
  finished,
  failed_request,
  claimed,
  seeded,
  consulted,
  advised,
  admitted,
};
KE_NAMES(journal_kind, 15, "configured", "session", "stepped", "asked", "replied", "judged", "ended",
         "steered", "finished", "failed_request", "claimed", "seeded", "consulted", "advised", "admitted")

/// The campaign begins, or its settings changed (`set`, a new config on resume).
struct journal_configured {
  campaign_settings settings;
  std::string problem_digest;     ///< blob: pack(problem)
  std::vector<std::string> trees; ///< backend of each tree
  std::string version;
};
KE_FIELDS(journal_configured, x.settings, x.problem_digest, x.trees, x.version)

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
/// refused...). Attempt 0: no call; an earlier answer gave the candidate.
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
  bool unsent = false; ///< its last send never happened: no request
};
KE_FIELDS(journal_replied, x.tree, x.node, x.attempt, x.kind, x.reply_digest, x.source_digest,
          x.normalised_digest, x.usage, x.unknown, x.descriptor, x.more, x.space, x.point, x.estimated,
          x.meter, x.unsent)

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
};
KE_FIELDS(journal_judged, x.tree, x.node, x.target, x.state, x.decision, x.score, x.verdict_digest,
          x.device_s, x.duplicate_of, x.noise, x.roofline)

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
};
KE_FIELDS(journal_claimed, x.tree, x.node, x.target, x.state, x.decision, x.score, x.verdict_digest,
          x.device_s)

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

struct journal_record {
  journal_kind kind = journal_kind::configured;
  std::uint64_t wall_ms = 0; ///< campaign time: sum over its sessions, steady clock
  std::uint64_t unix_ms = 0; ///< for people; decides nothing
  std::string body;          ///< pack() of the struct named by kind
};
KE_FIELDS(journal_record, x.kind, x.wall_ms, x.unix_ms, x.body)

// -- store rows (runtime/store/store.md) ----------------------------------------------------------

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
  std::string prompt_digest; ///< of the prompt's whole text
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

struct call_row {
  std::string model;
  std::string prompt_digest;
  std::string reply_digest; ///< raw body, stored before any actor hears of it
  failure_kind outcome = failure_kind::none;
  token_usage usage;
  reservation reserved;
  std::uint64_t sent_unix_ms = 0;
  double seconds = 0;
  bool open = true; ///< intent committed, answer not yet stored
  std::uint64_t prompt_bytes = 0;
  bool sent = false; ///< with outcome `cancelled`: it had left; `reply_digest` is what came until then
};
KE_FIELDS(call_row, x.model, x.prompt_digest, x.reply_digest, x.outcome, x.usage, x.reserved, x.sent_unix_ms,
          x.seconds, x.open, x.prompt_bytes, x.sent)

// -- jobs -----------------------------------------------------------------------------------------

/// Limits that the worker enforces on one job.
struct job_limits {
  double build_s = 60;
  double run_s = 60;  ///< the whole measurement
  double call_s = 10; ///< one call of the candidate
  std::uint64_t memory_bytes = 4ull << 30;
  std::uint64_t scratch_bytes = 64ull << 20;
  std::uint64_t log_bytes = 1ull << 20;
  std::uint32_t processes = 64;
  std::uint32_t descriptors = 64; ///< open at once in each process of a candidate
  std::uint64_t inodes = 4096;    ///< files in each of its two memory file systems
};
KE_FIELDS(job_limits, x.build_s, x.run_s, x.call_s, x.memory_bytes, x.scratch_bytes, x.log_bytes, x.processes,
          x.descriptors, x.inodes)

/// How much a measurement may cost: `rank` for the search, `eval` for the command, `claim` for publication
/// (trust.md 2.5, 2.6).
enum class measure_plan : std::uint8_t { rank, eval, claim };
KE_NAMES(measure_plan, 3, "rank", "eval", "claim")

/// One evaluation of a candidate on one target. Content travels by digest; `inline_blobs` holds small texts.
struct job {
  std::uint64_t id = 0;
  std::uint32_t attempt = 0;
  std::uint64_t epoch = 0; ///< the coordinator's, fences late results
  node_key node;
  std::uint32_t target = 0;
  std::string backend;
  std::string device; ///< pattern
  std::string problem_digest;
  std::string source_digest;
  measure_plan plan = measure_plan::rank;
  bool timed = true;
  std::uint64_t seed = 0; ///< of the launch order; secret inputs come from the worker's own key
  job_limits limits;
  std::map<std::string, std::string> inline_blobs; ///< digest -> bytes
  std::int32_t priority = 0;
  std::string store;   ///< id of the store that asks
  std::string warrant; ///< the grant in the coordinator's words; the worker repeats it (fleet/warrant.hpp)
};
KE_FIELDS(job, x.id, x.attempt, x.epoch, x.node, x.target, x.backend, x.device, x.problem_digest,
          x.source_digest, x.plan, x.timed, x.seed, x.limits, x.inline_blobs, x.priority, x.store, x.warrant)

/// A part of a job's time at its worker, for the trace. Microseconds since the worker took the job: clocks of
/// two machines are never compared.
struct job_span {
  std::string name;
  std::uint64_t begin_us = 0;
  std::uint64_t us = 0;
};
KE_FIELDS(job_span, x.name, x.begin_us, x.us)

struct job_result {
  std::uint64_t id = 0;
  std::uint32_t attempt = 0;
  std::uint64_t epoch = 0;
  failure why; ///< kind none: `found` counts. Otherwise the machine failed and the job is tried elsewhere.
  evidence found;
  std::vector<job_span> spans;
  std::string store;   ///< the job's: its coordinator gets this
  std::string warrant; ///< of the answered grant
};
KE_FIELDS(job_result, x.id, x.attempt, x.epoch, x.why, x.found, x.spans, x.store, x.warrant)

struct device_info {
  std::string name;         ///< what `[[target]] device` matches, e.g. "cpu:AMD EPYC"
  std::string backend;      ///< one entry per backend that can use it
  std::string state = "ok"; ///< ok | quarantined
  /// Target facts of the prompt: isa, cores, caches, compiler, digests.
  std::map<std::string, std::string> facts;
};
KE_FIELDS(device_info, x.name, x.backend, x.state, x.facts)

} // namespace ke
