#include "runtime/core/settings.hpp"
#include "runtime/search/index/rank_index.hpp"
#include "runtime/search/policy/mcts.hpp"
#include "runtime/search/policy/new_starts.hpp"
#include "runtime/search/policy/policy.hpp"
#include "runtime/search/policy/repairs.hpp"

#include <algorithm>
#include <map>

namespace ke {

namespace {

/// The best nodes of a search, of several ideas: one idea holds half of the places at most, as long as others
/// have something to fill the rest with. An idea is the kind of a candidate (tree_index::descriptor) or, where
/// that is unknown, the draft that it descends from. A function of the nodes alone, whatever their order.
class diverse_best {
public:
  explicit diverse_best(std::size_t width = 0) : width_{width} {}

  void offer(const tree_index& tree, std::uint32_t node) {
    auto key = rank_key(puct_rules::priority_of(tree, node), node);
    auto& keys = of_ideas_[idea_of(tree, node)];
    keys.insert(std::lower_bound(keys.begin(), keys.end(), key, std::greater<>{}), key);
    if (keys.size() > width_)
      keys.pop_back();
    members_.clear();
  }

  /// rank_key, best first; `width` at most.
  const std::vector<std::uint64_t>& members() {
    if (!members_.empty() || of_ideas_.empty())
      return members_;
    const auto share = (width_ + 1) / 2;
    std::vector<std::uint64_t> rest;
    for (const auto& [idea, keys] : of_ideas_) {
      auto last = keys.begin() + static_cast<std::ptrdiff_t>(std::min(share, keys.size()));
      members_.insert(members_.end(), keys.begin(), last);
      rest.insert(rest.end(), last, keys.end());
    }
    take_best(members_);
    if (members_.size() < width_) {
      std::sort(rest.begin(), rest.end(), std::greater<>{});
      auto more = std::min(rest.size(), width_ - members_.size());
      members_.insert(members_.end(), rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(more));
      take_best(members_);
    }
    return members_;
  }

private:
  /// A kind is a number below 2^32: a lineage stands above all kinds.
  static std::uint64_t idea_of(const tree_index& tree, std::uint32_t node) {
    auto kind = tree.descriptor(node);
    return kind ? kind : std::uint64_t{tree.draft_of(node)} << 32;
  }

  void take_best(std::vector<std::uint64_t>& keys) const {
    std::sort(keys.begin(), keys.end(), std::greater<>{});
    keys.resize(std::min(keys.size(), width_));
  }

  std::size_t width_;
  std::map<std::uint64_t, std::vector<std::uint64_t>> of_ideas_; ///< best first, `width` each at most
  std::vector<std::uint64_t> members_;                           ///< empty: to be found out
};

/// The `beam` best nodes of several ideas are expanded in turn: always the one with the fewest children, of equals the better
/// one. Asynchronous: a node enters the beam as soon as its verdict is in, and pushes the worst one out;
/// there are no rounds. While a new start is followed, it has a beam of its own.
class beam final : public policy {
public:
  explicit beam(const search_settings& s) { set(s); }

  std::optional<selection> select(const tree_index& tree, random_source&) override {
    auto draft = next_draft(tree);
    if (tree[0].children < drafts_)
      return draft;
    if (starts_.begins(tree))
      fresh_ = diverse_best{width_};
    if (starts_.is_followed()) {
      if (starts_.is_expanded(tree))
        if (auto s = next_of(tree, fresh_))
          return s;
      if (starts_.takes_draft(tree))
        return draft;
    }
    if (auto s = next_of(tree, best_))
      return s;
    if (auto broken = repairs_.next(tree))
      return selection{.parent = *broken, .operation = operation_kind::fix};
    if (tree[0].in_flight == 0)
      return draft;
    return std::nullopt;
  }

  void added(const tree_index& tree, std::uint32_t node) override { starts_.added(tree, node); }

  void ended(const tree_index& tree, std::uint32_t node) override {
    const auto& row = tree[node];
    auto fresh = starts_.holds(tree, node);
    if (is_member(row)) {
      best_.offer(tree, node);
      if (fresh)
        fresh_.offer(tree, node);
    } else {
      repairs_.offer(tree, node);
    }
    starts_.ended(tree, node, fresh, row.state == node_state::correct && !row.duplicate);
  }

  void configure(const search_settings& s, const tree_index& tree) override {
    set(s);
    adopt(tree);
  }

  void adopt(const tree_index& tree) override {
    best_ = fresh_ = diverse_best{width_};
    for (std::uint32_t node = 1; node < tree.size(); ++node)
      if (is_member(tree[node])) {
        best_.offer(tree, node);
        if (starts_.holds(tree, node))
          fresh_.offer(tree, node);
      }
  }

  void save(image_writer& out) const override {
    repairs_.save(out);
    starts_.save(out);
  }
  void load(image_reader& in) override {
    repairs_.load(in);
    starts_.load(in);
  }

private:
  static bool is_member(const tree_row& row) { return is_usable(row.state) && !row.duplicate; }

  void set(const search_settings& s) {
    width_ = static_cast<std::size_t>(std::clamp<std::int64_t>(s.beam, 1, 4096));
    drafts_ = static_cast<std::uint32_t>(std::clamp<std::int64_t>(s.drafts, 1, 1 << 20));
    starts_.set(s);
    best_ = fresh_ = diverse_best{width_};
  }

  static std::optional<selection> next_of(const tree_index& tree, diverse_best& among) {
    const std::uint64_t* chosen = nullptr;
    for (const auto& key : among.members())
      if (!chosen || tree[node_of(key)].children < tree[node_of(*chosen)].children)
        chosen = &key;
    if (!chosen)
      return std::nullopt;
    return selection{.parent = node_of(*chosen), .operation = operation_kind::improve};
  }

  std::size_t width_ = 8;
  std::uint32_t drafts_ = 8;
  diverse_best best_, fresh_; ///< of the whole tree; of the new start that is followed
  new_starts starts_;
  repairs repairs_;
};

} // namespace

std::unique_ptr<policy> make_beam(const search_settings& settings) {
  return std::make_unique<beam>(settings);
}

} // namespace ke
