#pragma once

#include "runtime/core/journal.hpp"
#include "runtime/core/node_number.hpp"
#include "runtime/core/settings.hpp"
#include "runtime/search/campaign/campaign_fold.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace ke {

/// The outcome of each node of a campaign: the journal's records that name the node, in order.
class recorded_outcomes {
public:
  using act = std::variant<journal_asked, journal_replied, journal_judged, journal_ended>;
  struct outcome {
    std::vector<act> acts;
    std::uint64_t last = 0; ///< number of its newest record that may have ended it
  };

  /// Every record of the campaign, in order. `corrupt` if one can't be read.
  status add(const journal_record& record);
  /// Null: nothing happened to it.
  const outcome* of(std::uint32_t tree, std::uint32_t node) const;
  /// What the trees began with.
  const std::vector<journal_seeded>& seeded() const { return seeded_; }

private:
  template <class Record>
  status note(const std::string& body, bool may_end);

  std::map<tree_node, outcome> by_node_;
  std::vector<journal_seeded> seeded_;
  std::uint64_t records_ = 0;
};

/// A candidate that was better than all before it.
struct best_so_far {
  double score = 0;
  std::uint32_t node = no_node;  ///< of the recorded tree
  std::uint64_t evaluations = 0; ///< candidates that had ended, this one included
};

/// A policy run over the recorded outcomes of one tree, with the recorded run for comparison.
struct what_if_tree {
  std::string backend;
  std::uint64_t recorded_evaluations = 0, evaluations = 0;
  std::vector<best_so_far> recorded, replayed; ///< rising
  std::vector<std::uint32_t> order;            ///< recorded nodes as the policy came to them
  std::uint64_t selections = 0;                ///< decisions that the policy took
  std::uint64_t closed = 0;                    ///< of them, those without a recorded child left
  std::uint64_t unused = 0;                    ///< recorded outcomes that the policy never reached
  std::string stopped; ///< "all outcomes used" | "evaluations" | "nothing left to expand"

  std::uint64_t covered() const { return selections - closed; }
  double coverage() const {
    return selections ? static_cast<double>(covered()) / static_cast<double>(selections) : 1;
  }
  /// The first time that the policy's best was at least `score`; empty: never.
  std::optional<std::uint64_t> evaluations_to(double score) const;
};

/// Reruns the search of every tree with other settings (policy, exploration, memory, ensemble, seed...) over
/// recorded outcomes: no model, no device. "Expand P" takes P's next recorded child, if possible one with the
/// memory now chosen. If none is left, the branch is closed: the policy passes P over from then on. Up to
/// [search] parallel nodes are in flight; the oldest ends first. At most `evaluations` candidates; 0: all
/// outcomes.
///
/// With the recorded policy, settings and seed, and parallel = 1 then and now, it takes the recorded nodes in
/// the recorded order and covers everything. Otherwise coverage says how much was known: a closed branch
/// could have held anything.
///
/// `recorded` is the fold of the records in `outcomes`. `invalid`: the settings ask for what this version
/// lacks. Pure.
result<std::vector<what_if_tree>> replay_policy(const campaign_fold& recorded,
                                                const recorded_outcomes& outcomes,
                                                const campaign_settings& other,
                                                std::uint64_t evaluations = 0);

} // namespace ke
