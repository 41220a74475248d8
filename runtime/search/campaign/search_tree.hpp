#pragma once

#include "runtime/core/fields.hpp"
#include "runtime/core/journal.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/core/result.hpp"
#include "runtime/core/settings.hpp"
#include "runtime/core/token_usage.hpp"
#include "runtime/search/campaign/expansion.hpp"
#include "runtime/search/index/digest_filter.hpp"
#include "runtime/search/index/tree_index.hpp"
#include "runtime/search/policy/counter_random.hpp"
#include "runtime/search/policy/ensemble.hpp"
#include "runtime/search/policy/memory.hpp"
#include "runtime/search/policy/model_free_candidates.hpp"
#include "runtime/search/policy/policy.hpp"
#include "runtime/search/policy/stall_meter.hpp"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ke {

struct hot_row;

/// Of a step's children: at most `written` candidates of the budget and `tuned` points of templates.
struct step_limits {
  std::uint32_t written = no_limit;
  std::uint32_t tuned = no_limit;
};

/// A paid request whose answer is not known.
struct open_call {
  std::uint32_t node = 0;
  std::uint32_t attempt = 0;
  std::string model;
  std::string prompt_digest;
  reservation reserved;
};
KE_FIELDS(open_call, x.node, x.attempt, x.model, x.prompt_digest, x.reserved)

/// One search tree, with everything on which the next decision depends: index, policy, generator, ensemble,
/// stagnation. Live campaigns and the fold of a journal run this class: the same inputs in the same order
/// give the same nodes. Not thread-safe.
///
/// Contract with the journal: each function marked (J) has a record. Calls and records come in one order.
class search_tree {
public:
  /// `tree` is the tree's number; targets are those of the settings with this backend. `invalid`: there is no
  /// such policy or ensemble.
  static result<search_tree> make(std::uint32_t tree, const std::string& backend,
                                  const campaign_settings& settings);

  /// (J configured) New settings while the campaign runs: weights, exploration, drafts, memory, goal. Another
  /// policy or seed needs a new campaign.
  status configure(const campaign_settings& settings);

  /// (J stepped) Creates up to `count` children; fewer if nothing can be expanded before an open node ends.
  /// The record's `first` is the number of nodes before the call. A call without children changes nothing and
  /// needs no record.
  std::vector<expansion> step(std::uint32_t count, step_limits most = {});
  bool can_tune() const { return model_free_.has_points(); } ///< a step could make a point of a template now

  status apply(const journal_seeded& r); ///< (J) before any `step`: the first nodes; later: a dispatcher
  status apply(const journal_asked& r);  ///< (J)
  /// (J) An answer with a source makes the node `answered` and enters the duplicate filter: compare
  /// `first_with` with the node afterwards.
  status apply(const journal_replied& r);
  status apply(const journal_judged& r); ///< (J) the last target's verdict backs up the reward
  status apply(const journal_ended& r);  ///< (J)

  /// Models that get no new node while others are left. Follows from the records; must be told again after
  /// `load`.
  void set_aside(const std::set<std::string>& models) { ensemble_.set_aside(models); }
  /// A try of an open call failed and was billed.
  void lost(const std::string& model, double usd) { ensemble_.lost(model, usd); }

  /// For show only (building, measuring): no part of the fold; equal to `answered` in the hash.
  bool progress(std::uint32_t node, node_state state) { return tree_.progress(node, state); }

  /// For what-if: what else may grow from this ended node is unknown, so the policy passes it over as if
  /// poisoned; what it has earned still counts. O(depth).
  void close(std::uint32_t node);

  const tree_index& tree() const { return tree_; }
  std::uint32_t number() const { return number_; }
  const std::string& backend() const { return backend_; }
  hot_row row(std::uint32_t node) const;
  expansion expansion_of(std::uint32_t node) const; ///< as `step` gave it: for resume and for what-if
  std::uint64_t seed_of(std::uint32_t node) const;
  const ensemble& models() const { return ensemble_; }
  const std::string& model_of(std::uint32_t node) const { return models_[tree_[node].model]; }

  std::vector<std::uint32_t> open_nodes() const; ///< in order of their ids; O(open)
  std::vector<open_call> open_calls() const;     ///< asked, not replied; in order of node
  std::optional<open_call> call(std::uint32_t node, std::uint32_t attempt) const; ///< empty: not out
  std::optional<std::uint32_t> first_with(const std::string& normalised_digest) const {
    return filter_.find(normalised_digest);
  }
  /// The first node with the same program: its source, or its form (source_form.hpp), is this one.
  std::optional<std::uint32_t> first_like(const std::string& normalised_digest,
                                          const std::string& form_digest) const;
  /// Normalised digests, newest last.
  std::vector<std::string> tried(std::size_t most = 4096) const { return filter_.latest(most); }

  void save(image_writer& out) const;
  /// What `save` wrote; `settings` as they were then. `corrupt` if it is anything else.
  static result<search_tree> load(image_reader& in, const campaign_settings& settings);

  std::string hash() const; ///< over all rows and everything else behind the next decision
  std::size_t bytes() const;

private:
  search_tree(std::uint32_t tree, std::string backend, const campaign_settings& settings,
              std::unique_ptr<policy> p, ensemble e);
  status check(std::uint32_t tree, std::uint32_t node, const char* what) const;
  result<std::uint8_t> intern(const std::string& model);
  void closed(std::uint32_t node);
  void learn(std::uint32_t node);
  expansion follow(model_free_candidate what);
  bool may_choose() const; ///< [search] ramp

  std::uint32_t number_ = 0;
  std::string backend_;
  std::uint64_t seed_ = 0;
  search_settings settings_;
  tree_index tree_;
  std::unique_ptr<policy> policy_;
  random_source random_;
  ensemble ensemble_;
  stall_meter stall_;             ///< a gain: a new best of the tree
  std::uint32_t since_clean_ = 0; ///< choices since a clean slate
  memory_record memories_;
  std::vector<std::string> models_; ///< names, by tree_row::model; at most 256
  std::map<std::pair<std::uint32_t, std::uint32_t>, open_call> calls_; ///< by node and attempt
  std::set<std::uint32_t> open_;
  digest_filter filter_;
  digest_filter forms_; ///< of sources whose form differs from their normalised text
  model_free_candidates model_free_;
};

} // namespace ke
