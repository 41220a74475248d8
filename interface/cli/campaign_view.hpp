#pragma once

#include "runtime/core/call_row.hpp"
#include "runtime/core/node_key.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/core/rows.hpp"
#include "runtime/core/timing_decision.hpp"
#include "runtime/records/stored_campaign.hpp"
#include "runtime/store/store_reader.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ke {
struct problem;
struct verdict;
} // namespace ke

namespace ke::cli {

/// One node for people: its row, completed from the folded journal, which also knows the root and nodes
/// without a row.
struct node_view {
  node_key key;
  std::uint64_t id = 0; ///< public
  node_row row;         ///< `parents` are node numbers of the same tree
  node_state state = node_state::planned;
  timing_decision decision = timing_decision::none;
  std::optional<double> score; ///< geometric mean over the targets
  std::uint16_t depth = 0;
  bool is_root() const { return key.node == 0; }
};

/// A call to a model for a node.
struct node_call {
  call_row row;
  std::uint32_t number = 0; ///< attempt, from 1; of a sub-agent: counted over the campaign
  bool of_agent = false;
};

/// A campaign of a store, read once. The fold is of one moment; with an owner at work rows may be newer, and
/// then the newer state of a node counts. Read-only; one thread.
class campaign_view {
public:
  static result<campaign_view> open(const store_reader& store, const campaign_row& row);

  const store_reader& store() const { return store_; }
  const campaign_fold& fold() const { return stored_->fold; }
  const ke::problem& problem() const { return *stored_->problem; }
  const campaign_settings& settings() const { return fold().books().settings(); }
  const std::string& name() const { return stored_->row.name; }
  std::uint32_t id() const { return stored_->row.id; }
  std::size_t trees() const { return fold().trees().size(); }
  /// Name, state and stop reason as stored, counts and money from the journal.
  campaign_row row() const;

  std::uint64_t public_id(std::uint32_t tree, std::uint32_t node) const;
  std::uint64_t public_id(const node_key& n) const { return public_id(n.tree, n.node); }
  std::uint64_t id_end() const; ///< all public ids are below
  node_key key_of_id(std::uint64_t id) const;

  /// `not_found`, naming the range of ids.
  result<node_view> node(std::uint64_t id) const;
  result<node_view> node(const node_key& key) const;
  /// Nodes with ids from `first` on, in order, until the visitor returns false. Reads rows page by page.
  status each(std::uint64_t first, const std::function<bool(const node_view&)>& visit) const;

  /// The best correct candidate over all trees: by a confirmed claim, else by the search's score.
  std::optional<node_key> winner() const;
  /// The outcome of measuring a node again for a claim; null: it was not, or not on all targets.
  const claim_book::entry* claim_on(const node_key& key) const;
  /// The claim's verdict on a target.
  std::optional<verdict> claimed_verdict(const node_key& key, std::size_t target = 0) const;

  /// The verdict on a target; nothing if there is none (yet).
  std::optional<verdict> verdict_of(const node_view& n, std::size_t target = 0) const;
  /// The candidate's text; the root's is the reference.
  result<std::string> source_of(const node_view& n) const;
  /// The whole prompt, joined from its sections; empty if none was asked.
  result<std::string> prompt_of(const node_view& n) const;
  /// A short report (interface/cli/node_report.hpp) made from stored facts; empty for a node without verdict.
  std::string report_of(const node_view& n) const;
  std::vector<node_call> calls_of(const node_view& n) const; ///< its own first

private:
  campaign_view(store_reader store, std::shared_ptr<const stored_campaign> stored)
      : store_{std::move(store)}, stored_{std::move(stored)} {}
  node_view completed(const node_key& key, std::optional<node_row> row) const;

  store_reader store_;
  std::shared_ptr<const stored_campaign> stored_;
};

} // namespace ke::cli
