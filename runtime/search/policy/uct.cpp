#include "runtime/core/node_number.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/core/settings.hpp"
#include "runtime/search/policy/mcts.hpp"
#include "runtime/search/policy/new_starts.hpp"
#include "runtime/search/policy/policy.hpp"

#include <algorithm>
#include <cmath>

namespace ke {

namespace {

/// The `mcts` policy by descent (rule = "uct"), from the root down. A node with fewer than
/// uct_widening * sqrt(n) children gets a new child. Otherwise the child of the highest
///     (q - q_min) / (q_max - q_min) + c * sqrt(ln N / n)
/// is entered.
///   n, N           finished and open nodes in the subtree of the child, and of the node: work in flight
///                  counts as visits
///   q              mean reward of the subtree's finished nodes; with max backup the best one's reward. A
///                  child without a finished node has its parent's q
///   q_min, q_max   over the rewards of all single nodes, so they only ever move apart
/// While a new start is followed, only its drafts are entered from the root; how they look beside the rest is told
/// by the descents after it. A step costs O(depth * children).
class uct final : public policy {
public:
  explicit uct(const search_settings& s) { set(s); }

  void configure(const search_settings& s, const tree_index&) override { set(s); }

  std::optional<selection> select(const tree_index& tree, random_source&) override {
    auto draft = next_draft(tree);
    if (tree[0].children < drafts_)
      return draft;
    starts_.begins(tree);
    if (starts_.is_followed()) {
      if (starts_.is_expanded(tree))
        if (auto first = best_child(tree, 0, starts_.first()))
          return descend(tree, *first);
      if (starts_.takes_draft(tree))
        return draft;
    }
    return descend(tree, 0);
  }

  void added(const tree_index& tree, std::uint32_t node) override { starts_.added(tree, node); }

  void ended(const tree_index& tree, std::uint32_t node) override {
    const auto& row = tree[node];
    if (has_verdict(row.state))
      note(tree.reward(node));
    starts_.ended(tree, node, starts_.holds(tree, node), row.state == node_state::correct && !row.duplicate);
  }

  void adopt(const tree_index& tree) override {
    for (std::uint32_t node = 1; node < tree.size(); ++node)
      if (has_verdict(tree[node].state))
        note(tree.reward(node));
  }

  void save(image_writer& out) const override { starts_.save(out); }
  void load(image_reader& in) override { starts_.load(in); }

private:
  std::optional<selection> descend(const tree_index& tree, std::uint32_t node) const {
    auto draft = next_draft(tree);
    for (;;) {
      const auto& row = tree[node];
      auto n = std::max(puct_rules::k_of(row), 1u);
      if (node != 0 && may_grow(tree, node) &&
          (row.children < uct_widening * std::sqrt(n) || !is_usable(row.state)))
        break;
      if (node == 0 && row.children < std::max<double>(drafts_, uct_widening * std::sqrt(n)))
        return draft;
      auto next = best_child(tree, node);
      if (!next) {
        if (node != 0 && may_grow(tree, node))
          break;
        if (tree[0].in_flight > 0 && tree.best() == 0)
          return std::nullopt; // the first verdicts are worth waiting for
        return draft;
      }
      node = *next;
    }
    return selection{.parent = node,
                     .operation =
                         is_usable(tree[node].state) ? operation_kind::improve : operation_kind::fix};
  }

  void set(const search_settings& s) {
    c_ = std::max(s.exploration, 0.0);
    mean_ = s.backup == backup_kind::mean;
    drafts_ = static_cast<std::uint32_t>(std::clamp<std::int64_t>(s.drafts, 1, 1 << 20));
    starts_.set(s);
  }

  void note(double reward) {
    least_ = std::min(least_, reward);
    most_ = std::max(most_, reward);
  }

  static bool may_grow(const tree_index& tree, std::uint32_t node) {
    return puct_rules{}.standing_of(tree, node) != puct_rules::rest::never;
  }

  double value(const tree_index& tree, std::uint32_t node) const {
    while (tree[node].visits == 0 && node != 0)
      node = tree[node].parent;
    const auto& row = tree[node];
    if (row.visits == 0 || most_ <= least_)
      return 0.5;
    auto q = mean_ ? row.value / row.visits : tree.reward_of_best(node);
    return std::clamp((q - least_) / (most_ - least_), 0.0, 1.0);
  }

  /// Of the children from `least` on. Empty: none can be entered. One without children that cannot grow is a
  /// dead end.
  std::optional<std::uint32_t> best_child(const tree_index& tree, std::uint32_t node,
                                          std::uint32_t least = 0) const {
    std::optional<std::uint32_t> best;
    double worth = 0;
    auto log_n = std::log(std::max<double>(puct_rules::k_of(tree[node]), 1));
    for (auto c = tree[node].first_child; c != no_node && c >= least; c = tree[c].next_sibling) {
      const auto& row = tree[c];
      if (!may_grow(tree, c) && (row.children == 0 || !has_verdict(row.state)))
        continue;
      auto w = value(tree, c) + c_ * std::sqrt(log_n / std::max(puct_rules::k_of(row), 1u));
      if (!best || w >= worth) { // of equals the oldest: children are listed youngest first
        best = c;
        worth = w;
      }
    }
    return best;
  }

  double c_ = 1;
  bool mean_ = false;
  std::uint32_t drafts_ = 8;
  double least_ = 1, most_ = 0; ///< rewards of single nodes
  new_starts starts_;
};

} // namespace

std::unique_ptr<policy> make_uct(const search_settings& settings) {
  return std::make_unique<uct>(settings);
}

} // namespace ke
