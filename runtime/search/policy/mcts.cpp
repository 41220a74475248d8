#include "runtime/search/policy/mcts.hpp"
#include "runtime/core/node_number.hpp"
#include "runtime/core/search_kinds.hpp"
#include "runtime/core/settings.hpp"
#include "runtime/search/policy/arms.hpp"
#include "runtime/search/policy/new_starts.hpp"
#include "runtime/search/policy/partners.hpp"
#include "runtime/search/policy/policy.hpp"
#include "runtime/search/policy/repairs.hpp"

#include <algorithm>
#include <cmath>

namespace ke {

bool is_fixable(node_state state) {
  switch (state) {
  case node_state::incorrect:
  case node_state::nondeterministic:
  case node_state::build_failed:
  case node_state::crashed:
  case node_state::timeout:
  case node_state::resource_exceeded:
  case node_state::policy_violation:
    return true;
  default:
    return false; // a cheat is not repaired, a broken machine or problem is not the candidate's fault
  }
}

bool is_usable(node_state state) {
  return state == node_state::correct || state == node_state::noisy || state == node_state::compiled;
}

/// A correct node's is its score (the reference's in an untimed campaign). Any other borrows half of its
/// parent's.
double puct_rules::priority_of(const tree_index& tree, std::uint32_t node) {
  double share = 1;
  for (;; node = tree[node].parent, share /= 2) {
    const auto& row = tree[node];
    if (row.state == node_state::correct)
      return share * (row.score >= 0 ? row.score : 1);
  }
}

puct_rules::rest puct_rules::standing_of(const tree_index& tree, std::uint32_t node) const {
  const auto& row = tree[node];
  if (node == 0 || is_open(row.state) || row.duplicate)
    return rest::never;
  if (is_usable(row.state))
    return exploration == 0 || row.children < widening * std::sqrt(k_of(row)) ? rest::open : rest::widened;
  if (!is_fixable(row.state) || row.fixes >= fix_chain || row.children >= fix_tries)
    return rest::never;
  for (auto c = row.first_child; c != no_node; c = tree[c].next_sibling)
    if (is_open(tree[c].state) || has_verdict(tree[c].state))
      return rest::never;
  return rest::open;
}

namespace {

/// Does an operation pay? Successes are candidates that beat their nearest scored ancestor; what is long ago
/// counts less.
struct payoff {
  double tries, successes;
  void add(bool paid) {
    tries = tries * 0.99 + 1;
    successes = successes * 0.99 + paid;
  }
  double rate() const { return successes / tries; }
};

class mcts final : public policy {
public:
  explicit mcts(const search_settings& s) { set(s); }

  void configure(const search_settings& s, const tree_index& tree) override {
    set(s);
    for (std::uint32_t node = 1; node < tree.size(); ++node)
      refresh(tree, node); // exploration = 0 also ends the rest of widened nodes
  }

  void adopt(const tree_index& tree) override {
    std::vector<std::uint64_t> keys, young;
    fresh_ = arms{starts_.first()};
    for (std::uint32_t node = 1; node < tree.size(); ++node)
      if (is_ranked(tree[node])) {
        auto priority = puct_rules::priority_of(tree, node);
        keys.push_back(rank_key(priority, node));
        partners_.scored(tree, node, priority);
        if (starts_.holds(tree, node))
          young.push_back(keys.back());
      }
    all_.rank_all(std::move(keys));
    fresh_.rank_all(std::move(young));
    for (std::uint32_t node = 1; node < tree.size(); ++node)
      refresh(tree, node);
  }

  void save(image_writer& out) const override {
    starts_.save(out);
    out.value(crossings_);
    out.value(repair_credit_);
    out.value(improving_);
    out.value(fixing_);
    broken_.save(out);
    partners_.save(out);
  }

  void load(image_reader& in) override {
    starts_.load(in);
    in.values(&crossings_, 1);
    in.values(&repair_credit_, 1);
    in.values(&improving_, 1);
    in.values(&fixing_, 1);
    broken_.load(in);
    partners_.load(in);
  }

  std::optional<selection> select(const tree_index& tree, random_source& random) override {
    const auto& root = tree[0];
    auto draft = next_draft(tree);
    if (root.children < rules_.drafts)
      return draft;
    if (starts_.begins(tree, crossings_ == 0)) {
      fresh_ = arms{starts_.first()};
      partners_.begin(starts_.first());
    }
    if (starts_.is_followed()) {
      if (starts_.is_expanded(tree))
        if (auto s = best_of(tree, fresh_))
          return s;
      if (starts_.takes_draft(tree))
        return draft;
    }
    auto working = best_of(tree, all_);
    auto repair_share = rules_.exploration > 0 ? share_of_repairs() : 0;
    if (!working || repair_credit_ + repair_share >= 1)
      if (auto node = broken_.next(tree)) {
        repair_credit_ = std::max(repair_credit_ + repair_share - 1, 0.0);
        return selection{.parent = *node, .operation = operation_kind::fix};
      }
    if (auto s = working) {
      repair_credit_ = std::min(repair_credit_ + repair_share, 1.0);
      s->parent2 = partner_of(tree, s->parent, random).value_or(no_node);
      return s;
    }
    if (root.in_flight == 0)
      return draft; // all drafts and their repairs failed: only a new start is left
    return std::nullopt;
  }

  void added(const tree_index& tree, std::uint32_t node) override {
    starts_.added(tree, node);
    auto parent = tree[node].parent;
    if (parent == 0)
      return;
    refresh(tree, parent);
    for (auto n = tree[parent].parent; n != 0; n = tree[n].parent)
      if (all_.where(n) == arms::standing::saturated) // a larger subtree may have room for another child
        refresh(tree, n);
  }

  void ended(const tree_index& tree, std::uint32_t node) override {
    const auto& row = tree[node];
    auto fresh = starts_.holds(tree, node);
    if (is_ranked(row)) {
      auto priority = puct_rules::priority_of(tree, node);
      all_.rank(priority, node);
      partners_.scored(tree, node, priority);
      if (fresh)
        fresh_.rank(priority, node);
    }
    refresh(tree, node);
    broken_.offer(tree, node);
    if (starts_.ended(tree, node, fresh, is_ranked(row))) { // what it found is crossed into the rest
      crossings_ = crossover_ > 0 ? crossings_of_start : 0;
      fresh_ = arms{};
    }
    if (has_verdict(row.state) && row.operation != operation_kind::draft)
      (row.operation == operation_kind::fix ? fixing_ : improving_)
          .add(is_ranked(row) && row.score > tree.score_before(node));
    if (row.parent == 0)
      return;
    if (has_verdict(row.state))
      refresh(tree, row.parent);
    else
      refresh_up(tree, row.parent); // k went down
  }

  std::size_t bytes() const override { return all_.bytes() + fresh_.bytes(); }

private:
  static bool is_ranked(const tree_row& row) { return row.state == node_state::correct && !row.duplicate; }

  void set(const search_settings& s) {
    rules_ = {.exploration = s.policy == policy_kind::greedy ? 0 : std::max(s.exploration, 0.0),
              .drafts = static_cast<std::uint32_t>(std::clamp<std::int64_t>(s.drafts, 1, 1 << 20))};
    crossover_ = rules_.exploration == 0 ? 0 : std::clamp(s.crossover, 0.0, 1.0);
    starts_.set(s);
  }

  /// By the sixth power of how often each pays: the better one gets nearly everything, and the other is not
  /// forgotten. Late in a search both pay once in fifty tries, and a repair starts below the best. With the
  /// cube, and up to a fifth of the choices, repairs wasted an eighth of the candidates on a smooth
  /// landscape.
  double share_of_repairs() const {
    auto fix = std::pow(fixing_.rate(), 6), improve = std::pow(improving_.rate(), 6);
    return std::clamp(fix / (fix + improve), 0.02, 0.1);
  }

  std::optional<std::uint32_t> partner_of(const tree_index& tree, std::uint32_t parent,
                                          random_source& random) {
    auto after_start = crossings_ > 0;
    crossings_ -= after_start;
    auto share = crossing_share(crossover_, after_start);
    if (share == 0 || random.uniform() >= share)
      return std::nullopt;
    std::optional<std::uint32_t> other;
    if (after_start)
      other = partners_.of_newest_start(tree, parent);
    if (!other)
      other = partners_.of_another_start(tree, parent, random);
    return other ? other : partners_.beside(tree, parent, random);
  }

  std::optional<selection> best_of(const tree_index& tree, arms& among) {
    auto node = among.best(tree, arms::standing::expandable, rules_.exploration);
    if (!node)
      node = among.best(tree, arms::standing::saturated, rules_.exploration);
    if (!node)
      return std::nullopt;
    return selection{.parent = *node, .operation = operation_kind::improve};
  }

  void refresh_up(const tree_index& tree, std::uint32_t node) {
    for (; node != 0; node = tree[node].parent)
      refresh(tree, node);
  }

  void refresh(const tree_index& tree, std::uint32_t node) {
    auto rest = is_usable(tree[node].state) ? rules_.standing_of(tree, node) : puct_rules::rest::never;
    auto standing = rest == puct_rules::rest::never  ? arms::standing::none
                    : rest == puct_rules::rest::open ? arms::standing::expandable
                                                     : arms::standing::saturated;
    auto k = standing == arms::standing::none ? 0 : puct_rules::k_of(tree[node]);
    auto priority = standing == arms::standing::none ? 0 : puct_rules::priority_of(tree, node);
    all_.place(node, standing, k, priority);
    if (starts_.holds(tree, node))
      fresh_.place(node, standing, k, priority);
  }

  puct_rules rules_;
  double crossover_ = 0;        ///< share of the improvements with a second parent
  std::uint32_t crossings_ = 0; ///< choices left in which the last start's find is tried in the whole tree
  double repair_credit_ = 0;    ///< of repairs, in choices
  new_starts starts_;
  payoff improving_{8, 2}, fixing_{8, 1}; ///< begin with the worth of a few tries
  repairs broken_;
  partners partners_;
  arms all_, fresh_; ///< every node that may be expanded; those of the new start
};

} // namespace

std::unique_ptr<policy> make_mcts(const search_settings& settings) {
  return std::make_unique<mcts>(settings);
}

} // namespace ke
