#pragma once

#include "runtime/search/ledger.hpp"
#include "runtime/search/stop.hpp"
#include "runtime/search/tree_core.hpp"

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ke {

/// What an open node holds of the budget, for a fold or a campaign actor: one candidate from its step on, and a call's reservation while it is out.
/// A campaign's state as a function of its journal. The live campaign uses the same class: it applies each record, then writes it, so that a
/// restart continues from exactly what a crash left. Not thread-safe.
class campaign_fold {
public:
  /// `corrupt` if the record cannot have followed the earlier ones (an unknown node, another first node than the policy chooses now); the fold is then
  /// unusable. `invalid` if its settings ask for something that this version does not have.
  status apply(const journal_record& record);

  /// The same with the body already decoded: what live code calls. `wall_ms` is campaign time.
  status apply(const journal_configured& r, std::uint64_t wall_ms);
  status apply(const journal_session& r, std::uint64_t wall_ms);
  status apply(const journal_stepped& r, std::uint64_t wall_ms);
  status apply(const journal_asked& r, std::uint64_t wall_ms);
  status apply(const journal_failed_request& r, std::uint64_t wall_ms);
  status apply(const journal_replied& r, std::uint64_t wall_ms);
  status apply(const journal_judged& r, std::uint64_t wall_ms);
  status apply(const journal_ended& r, std::uint64_t wall_ms);
  status apply(const journal_steered& r, std::uint64_t wall_ms);
  status apply(const journal_finished& r, std::uint64_t wall_ms);

  /// Live: runs the policy of one tree for at most `count` children, as far as the candidates' budget goes, and gives the record to write.
  result<std::pair<std::vector<expansion>, journal_stepped>> step(std::uint32_t tree, std::uint32_t count, std::uint64_t wall_ms);

  bool configured() const { return !trees_.empty(); }
  const campaign_settings& settings() const { return settings_; }
  const std::string& problem_digest() const { return problem_digest_; }
  const std::vector<std::string>& backends() const { return backends_; }
  std::vector<tree_core>& trees() { return trees_; }
  const std::vector<tree_core>& trees() const { return trees_; }
  ledger& money() { return money_; }
  const ledger& money() const { return money_; }

  struct winner {
    std::uint32_t tree = 0;
    std::uint32_t node = no_node; ///< no_node: no candidate is correct yet
    double score = 0;
  };
  winner best() const;
  std::map<std::string, std::uint64_t> states() const; ///< candidates by state, over all trees; zero counts left out
  const std::map<std::string, std::uint64_t>& failures() const { return failures_; } ///< by kind, retried ones too
  std::uint64_t requests() const { return requests_; }
  const token_usage& spend() const { return spend_; }
  std::uint64_t in_flight() const;
  std::uint64_t finished_candidates() const; ///< from the trees, never a counter of its own
  const progress_meter& progress() const { return progress_; }

  std::uint64_t epoch() const { return epoch_; }
  bool paused() const { return paused_; }
  const std::string& finished_reason() const { return reason_; } ///< empty: still going
  const std::vector<std::pair<std::uint32_t, std::string>>& hints() const { return hints_; } ///< (node, text) in order

  /// Calls asked before the last session record and not replied: after a crash the caller looks in the store for a reply and marks the rest
  /// `replied{unknown = true}`.
  std::vector<std::pair<std::uint32_t, open_call>> open_calls() const; ///< with the tree's number

  /// The stop rule on this state. `next` is what the next step would reserve (a candidate and a call).
  std::optional<std::string_view> stop(const amounts& next, std::optional<double> roofline_fraction = {}) const;

  campaign_row row(std::uint32_t id) const; ///< the store's cache of all this; digests and times of creation are the caller's
  std::string hash() const;                 ///< over all trees, the ledger and the counts

private:
  result<tree_core*> tree(std::uint32_t number);
  void settle_call(const journal_replied& r, const std::optional<open_call>& call);
  void note_end(const tree_core& core, std::uint32_t node);

  campaign_settings settings_;
  std::string problem_digest_;
  std::vector<std::string> backends_;
  std::vector<tree_core> trees_;
  ledger money_;
  progress_meter progress_;
  std::map<std::string, std::uint64_t> failures_;
  std::uint64_t requests_ = 0;
  token_usage spend_;
  std::uint64_t epoch_ = 0;
  bool paused_ = false;
  std::string reason_;
  std::vector<std::pair<std::uint32_t, std::string>> hints_;
};

} // namespace ke
