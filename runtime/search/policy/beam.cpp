#include "runtime/core/settings.hpp"
#include "runtime/search/index/rank_index.hpp"
#include "runtime/search/policy/mcts.hpp"
#include "runtime/search/policy/policy.hpp"
#include "runtime/search/policy/repairs.hpp"

#include <algorithm>

namespace ke {

namespace {

/// The `beam` best nodes are expanded in turn: always the one with the fewest children, of equals the better
/// one. Asynchronous: a node enters the beam as soon as its verdict is in, and pushes the worst one out;
/// there are no rounds.
class beam final : public policy {
public:
  explicit beam(const search_settings& s) { set(s); }

  std::optional<selection> select(const tree_index& tree, random_source&) override {
    auto draft = selection{.parent = 0, .operation = operation_kind::draft, .draft = tree[0].children};
    if (tree[0].children < drafts_)
      return draft;
    const std::uint64_t* chosen = nullptr;
    for (const auto& key : best_)
      if (!chosen || tree[node_of(key)].children < tree[node_of(*chosen)].children)
        chosen = &key;
    if (chosen)
      return selection{.parent = node_of(*chosen), .operation = operation_kind::improve};
    if (auto broken = repairs_.next(tree))
      return selection{.parent = *broken, .operation = operation_kind::fix};
    if (tree[0].in_flight == 0)
      return draft;
    return std::nullopt;
  }

  void ended(const tree_index& tree, std::uint32_t node) override {
    if (is_usable(tree[node].state) && !tree[node].duplicate)
      offer(rank_key(puct_rules::priority_of(tree, node), node));
    else
      repairs_.offer(tree, node);
  }

  void configure(const search_settings& s, const tree_index& tree) override {
    set(s);
    best_.clear();
    adopt(tree);
  }

  void adopt(const tree_index& tree) override {
    for (std::uint32_t node = 1; node < tree.size(); ++node)
      if (is_usable(tree[node].state) && !tree[node].duplicate)
        offer(rank_key(puct_rules::priority_of(tree, node), node));
  }

  void save(image_writer& out) const override { repairs_.save(out); }
  void load(image_reader& in) override { repairs_.load(in); }

private:
  void set(const search_settings& s) {
    width_ = static_cast<std::size_t>(std::clamp<std::int64_t>(s.beam, 1, 4096));
    drafts_ = static_cast<std::uint32_t>(std::clamp<std::int64_t>(s.drafts, 1, 1 << 20));
  }

  void offer(std::uint64_t key) {
    best_.insert(std::lower_bound(best_.begin(), best_.end(), key, std::greater<>{}), key);
    if (best_.size() > width_)
      best_.pop_back();
  }

  std::size_t width_ = 8;
  std::uint32_t drafts_ = 8;
  std::vector<std::uint64_t> best_; ///< rank_key, best first
  repairs repairs_;
};

} // namespace

std::unique_ptr<policy> make_beam(const search_settings& settings) {
  return std::make_unique<beam>(settings);
}

} // namespace ke
