#pragma once

#include "runtime/core/fields.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace ke {

struct skill_workload {
  std::string name;
  double speedup = 0;
  double low = 0, high = 0; ///< 95% interval
  bool held_out = false;    ///< no part of the claim's own figures
};
KE_FIELDS(skill_workload, x.name, x.speedup, x.low, x.high, x.held_out)

/// What a confirmed claim measured on one device: of the whole solution, not of one step towards it.
struct skill_claim {
  std::string device;
  std::string compared_with; ///< "reference", or the goal's baseline
  double speedup = 0;        ///< over that
  double low = 0, high = 0;
  std::vector<skill_workload> workloads;
};
KE_FIELDS(skill_claim, x.device, x.compared_with, x.speedup, x.low, x.high, x.workloads)

/// One measured step of a campaign: what a skill rests on. No skill is without evidence.
struct skill_evidence {
  std::string store;    ///< id of the store that measured it
  std::string campaign; ///< name
  std::uint32_t tree = 0, parent = 0, node = 0;
  std::string problem;          ///< name
  double before = 0, after = 0; ///< the search's speedups over the baseline: of the parent, of the node
  double before_low = 0, before_high = 0; ///< their 95% intervals
  double after_low = 0, after_high = 0;
  bool claimed = false;            ///< the node's chain ended in a proven claim
  std::vector<skill_claim> claims; ///< its numbers, by device; none from versions that did not keep them
};
KE_FIELDS(skill_evidence, x.store, x.campaign, x.tree, x.parent, x.node, x.problem, x.before, x.after,
          x.before_low, x.before_high, x.after_low, x.after_high, x.claimed, x.claims)
KE_OPTIONAL_TAIL(skill_evidence, 1)

/// Outcomes, in one store, of prompts that showed a skill. Counts only grow: stores are united by the larger
/// of each.
struct skill_record {
  std::string store;
  std::uint64_t wins = 0;   ///< the candidate gained over its parent, beyond the noise
  std::uint64_t losses = 0; ///< it was judged and did not
};
KE_FIELDS(skill_record, x.store, x.wins, x.losses)

/// A learnt pattern: a row of the store's table `skills`, under its id. `version` counts changes of the text.
struct skill {
  std::string id;    ///< "skill/<family>/<slug>-<8 hex digits of the first text's digest>"
  std::string title; ///< one line
  std::string text;  ///< what to do, when it applies; Markdown, bounded
  std::string family;
  std::string language;
  std::vector<std::string> dtypes;
  std::vector<std::string> targets; ///< as documents name them ("x86-64-avx2")
  std::string bottleneck;           ///< of the parent that it improved; empty: not known
  std::vector<skill_evidence> evidence;
  std::vector<skill_record> records;
  std::uint32_t version = 1;
  std::string failure; ///< verdict state of the parent that it repaired; empty: it made a right one faster
};
KE_FIELDS(skill, x.id, x.title, x.text, x.family, x.language, x.dtypes, x.targets, x.bottleneck, x.evidence,
          x.records, x.version, x.failure)
KE_OPTIONAL_TAIL(skill, 1)

} // namespace ke
