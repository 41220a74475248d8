#include "runtime/search/mcts.hpp"
#include "runtime/search/arms.hpp"
#include "runtime/search/policy.hpp"

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

double puct_rules::scale(std::uint64_t evaluations, std::uint64_t scored) const {
  return exploration * std::sqrt(static_cast<double>(evaluations) /
                                 static_cast<double>(std::max<std::uint64_t>(scored, 1)));
}

/// A correct node's is its score (the reference's in an untimed campaign). Any other borrows half of its
/// parent's.
double puct_rules::merit_of(const tree_index& tree, std::uint32_t node) {
  double share = 1;
  for (;; node = tree[node].parent, share /= 2) {
    const auto& row = tree[node];
    if (row.state == node_state::correct)
      return share * (row.score >= 0 ? row.score : 1);
  }
}

puct_rules::rest puct_rules::standing_of(const tree_index& tree, std::uint32_t node) const {
  const auto& row = tree[node];
  if (node == 0 || is_open(row.state))
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

class mcts final : public policy {
public:
  explicit mcts(const search_settings& s) { rules_ = rules_of(s); }

  void configure(const search_settings& s, const tree_index& tree) override {
    rules_ = rules_of(s);
    for (std::uint32_t node = 1; node < tree.size(); ++node)
      refresh(tree, node); // exploration = 0 also ends the rest of widened nodes
  }

  void adopt(const tree_index& tree) override {
    std::vector<std::uint64_t> keys;
    for (std::uint32_t node = 1; node < tree.size(); ++node)
      if (tree[node].state == node_state::correct)
        keys.push_back(rank_key(puct_rules::merit_of(tree, node), node));
    arms_.rank_all(std::move(keys));
    for (std::uint32_t node = 1; node < tree.size(); ++node)
      refresh(tree, node);
  }

  std::optional<selection> select(const tree_index& tree, random_source&) override {
    const auto& root = tree[0];
    auto draft = selection{.parent = 0, .operation = operation_kind::draft, .draft = root.children};
    if (root.children < rules_.drafts)
      return draft;
    auto scale = rules_.scale(root.visits, arms_.ranked());
    auto node = arms_.best(tree, arms::room::open, scale);
    if (!node)
      node = arms_.best(tree, arms::room::closed, scale);
    if (node)
      return selection{.parent = *node,
                       .operation =
                           is_usable(tree[*node].state) ? operation_kind::improve : operation_kind::fix};
    if (root.in_flight == 0)
      return draft; // all drafts and their repairs failed: only a new start is left
    return std::nullopt;
  }

  void added(const tree_index& tree, std::uint32_t node) override {
    auto parent = tree[node].parent;
    if (parent == 0)
      return;
    refresh(tree, parent);
    for (auto n = tree[parent].parent; n != 0; n = tree[n].parent)
      if (arms_.where(n) == arms::room::closed) // a larger subtree may have room for another child
        refresh(tree, n);
  }

  void ended(const tree_index& tree, std::uint32_t node) override {
    if (tree[node].state == node_state::correct)
      arms_.rank(puct_rules::merit_of(tree, node), node);
    refresh(tree, node);
    if (tree[node].parent == 0)
      return;
    if (has_verdict(tree[node].state))
      refresh(tree, tree[node].parent);
    else
      refresh_up(tree, tree[node].parent); // k went down
  }

  std::size_t bytes() const override { return arms_.bytes(); }

private:
  static puct_rules rules_of(const search_settings& s) {
    return {.exploration = s.policy == policy_kind::greedy ? 0 : std::max(s.exploration, 0.0),
            .drafts = static_cast<std::uint32_t>(std::clamp<std::int64_t>(s.drafts, 1, 1 << 20))};
  }

  void refresh_up(const tree_index& tree, std::uint32_t node) {
    for (; node != 0; node = tree[node].parent)
      refresh(tree, node);
  }

  void refresh(const tree_index& tree, std::uint32_t node) {
    auto rest = rules_.standing_of(tree, node);
    if (rest == puct_rules::rest::never)
      arms_.place(node, arms::room::none, 0, 0);
    else
      arms_.place(node, rest == puct_rules::rest::open ? arms::room::open : arms::room::closed,
                  puct_rules::k_of(tree[node]), puct_rules::merit_of(tree, node));
  }

  puct_rules rules_;
  arms arms_;
};

} // namespace

std::unique_ptr<policy> make_mcts(const search_settings& settings) {
  return std::make_unique<mcts>(settings);
}

} // namespace ke
