#pragma once

#include "runtime/search/policy/mcts.hpp"

#include <deque>
#include <optional>
#include <vector>

namespace ke {

/// Fix mode: while nothing works in a population, its latest failures are repaired, the youngest first. Keeps
/// at most 64; chains and tries are bounded as in mcts.hpp.
class repairs {
public:
  /// A node that ended; taken if another try may mend it.
  void offer(const tree_index& tree, std::uint32_t node) {
    if (!is_fixable(tree[node].state) || tree[node].duplicate || tree[node].fixes >= fix_chain)
      return;
    waiting_.push_back(node);
    if (waiting_.size() > 64)
      waiting_.pop_front();
  }

  /// Empty: none is without a child under way.
  std::optional<std::uint32_t> next(const tree_index& tree) const {
    for (auto at = waiting_.rbegin(); at != waiting_.rend(); ++at)
      if (puct_rules{}.standing_of(tree, *at) == puct_rules::rest::open)
        return *at;
    return std::nullopt;
  }

  void save(image_writer& out) const {
    out.list(std::vector<std::uint32_t>{waiting_.begin(), waiting_.end()});
  }
  void load(image_reader& in) {
    auto all = in.list<std::uint32_t>();
    waiting_ = {all.begin(), all.end()};
  }

private:
  std::deque<std::uint32_t> waiting_; ///< oldest first
};

} // namespace ke
