#pragma once

#include "runtime/core/journal.hpp"
#include "runtime/core/node_number.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/core/settings.hpp"
#include "runtime/core/token_scale.hpp"
#include "runtime/core/token_usage.hpp"
#include "runtime/search/campaign/claim_book.hpp"
#include "runtime/search/campaign/ledger.hpp"
#include "runtime/search/campaign/search_tree.hpp"
#include "runtime/search/campaign/stop.hpp"
#include "runtime/search/policy/stall_meter.hpp"

#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ke {

struct journal_configured;

/// What a campaign knows apart from its trees: settings, money, counts, progress, whether it is paused or
/// over. A part of campaign_fold. Each function takes what one journal record means for the campaign, in the
/// order of the journal. From step to end a node holds one candidate of the budget, or one point of the
/// templates' budget; a call holds its reservation while it is out.
class campaign_state {
public:
  struct winner {
    std::uint32_t tree = 0;
    std::uint32_t node = no_node; ///< no_node: no candidate is correct yet
    double score = 0;             ///< 0 also if correct but untimed
    double roofline = -1;         ///< share of the machine's limit; -1: not known
  };

  void configured(const journal_configured& r);
  void session(const journal_session& r); ///< also revokes an end: an interrupted or stopped campaign goes on
  void wall(std::uint64_t ms) { money_.wall(ms); }

  /// New children: at most money().candidates_left() and tune_left().
  void stepped(std::uint32_t written, std::uint32_t tuned = 0);
  void asked(const reservation& r);
  /// `model`: of the call; empty if it was not out.
  void failed_request(const journal_failed_request& r, const std::string& model);
  /// `call`: empty if it was not out (a late or repeated reply); then only usage is counted.
  void replied(const journal_replied& r, const std::optional<open_call>& call);
  /// A sub-agent's call: reserved, then settled. `advised` is false if no such call is out.
  void consulted(const journal_agent_asked& r);
  bool advised(const journal_agent_replied& r);
  void judged(double device_s);
  /// A node ended. A cancelled one gives its candidate back; all others have used it. `noise` and `roofline`:
  /// as in journal_judged; `tuned`: a point of a template.
  void ended(std::uint32_t tree, std::uint32_t node, node_state state, std::optional<double> score,
             double noise = 0, std::optional<double> roofline = {}, bool tuned = false);
  /// `search_score`: of the node, `targets`: of its tree.
  void claimed(const journal_claimed& r, std::uint32_t targets, double search_score);
  void validated(const journal_validated& r);
  void admitted(const journal_admitted& r);
  void steered(const journal_steered& r);
  void finished(const journal_finished& r) { reason_ = r.reason; }

  const campaign_settings& settings() const { return settings_; }
  const std::string& problem_digest() const { return problem_digest_; }
  const std::vector<std::string>& backends() const { return backends_; } ///< of each tree
  const std::string& version() const { return version_; }
  /// Device seconds may be reserved here by the live campaign; such holds are not journalled.
  ledger& money() { return money_; }
  const ledger& money() const { return money_; }
  std::uint64_t tuned() const { return tuned_; } ///< points of templates that have ended
  std::uint64_t tune_left() const;               ///< points that may still begin
  const winner& best() const { return best_; }   ///< by the search's own score
  const claim_book& claims() const { return claims_; }
  /// The best for people: confirmed by a claim if any is, else the search's.
  winner published_best() const;
  const stall_meter& progress() const { return progress_; }
  /// By kind, retried requests too.
  const std::map<std::string, std::uint64_t>& failures() const { return failures_; }
  std::uint64_t requests() const { return money_.spent().requests + money_.reserved().requests; } ///< sent
  const token_usage& spend() const { return spend_; }
  const token_usage& estimated() const { return estimated_; } ///< of `spend`
  std::uint64_t unheard() const { return unheard_; }          ///< requests whose end nobody heard
  /// What the model's reported usage has taught so far.
  const token_scale& scale(const std::string& model) const;
  /// Models not asked any more: [budget] fruitless answers in a row were paid for and held no candidate. A
  /// session, a `resume` and another limit try them again.
  const std::set<std::string>& set_aside() const { return set_aside_; }
  bool all_set_aside() const;                            ///< no model is left to write candidates
  std::uint64_t in_flight() const { return in_flight_; } ///< nodes
  const std::vector<journal_agent_asked>& agent_calls_out() const { return agent_calls_out_; }
  const journal_agent_asked* agent_call(std::uint32_t number) const; ///< null: it is not out
  std::uint32_t next_agent_call() const { return agent_calls_ + 1; }
  std::uint64_t agent_calls() const { return agent_calls_; }
  const token_usage& agent_spend() const { return agent_spend_; }
  /// Whether sub-agents may hold this much more: at most `[agents] share` of all tokens spent or held, with
  /// it.
  bool agents_may_hold(const reservation& r) const;
  std::uint64_t epoch() const { return epoch_; }
  bool paused() const { return paused_; }
  const std::string& finished_reason() const { return reason_; } ///< empty: still going
  /// (node, text), in order.
  const std::vector<std::pair<std::string, std::string>>& hints() const { return hints_; }

  /// The stop rule on this state. `next`: reservation of the next candidate, its call included. `proven`:
  /// only a confirmed claim reaches the goal. `can_tune`: a point of a template can be made; a budget that
  /// points do not use does not end the campaign before them.
  std::optional<std::string_view> stop(const amounts& next, bool proven = false, bool can_tune = false) const;
  /// Worst case of one call and its candidate.
  static amounts claim(const reservation& r, std::uint64_t candidates = 0);

  void save(image_writer& out) const;
  void load(image_reader& in); ///< in place of these books

private:
  struct settlement {
    const token_usage &usage, &estimated;
    const call_meter& meter;
    bool unknown, unsent;
  };
  void settle_call(const reservation* reserved, const std::string& model, const settlement& s);
  void bore(const std::string& model, failure_kind kind, const token_usage& paid);
  void forgive();
  campaign_settings settings_;
  std::string problem_digest_, version_;
  std::vector<std::string> backends_;
  ledger money_;
  stall_meter progress_; ///< a gain: budget.stall.min_gain, and beyond the noise
  winner best_;
  claim_book claims_;
  std::map<std::string, std::uint64_t> failures_;
  std::uint64_t tuned_ = 0, tuning_ = 0; ///< points of templates: ended, and in flight
  std::uint64_t in_flight_ = 0, epoch_ = 0, unheard_ = 0;
  token_usage spend_, agent_spend_, estimated_;
  std::map<std::string, token_scale> scales_;      ///< by model
  std::map<std::string, std::uint64_t> fruitless_; ///< answers in a row without a candidate, by model
  std::set<std::string> set_aside_;
  std::uint32_t agent_calls_ = 0;
  std::vector<journal_agent_asked> agent_calls_out_;
  bool paused_ = false;
  std::string reason_;
  std::vector<std::pair<std::string, std::string>> hints_;
};

} // namespace ke
