#include "runtime/search/index/history.hpp"

#include "runtime/core/memory_kind.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/core/stable_order.hpp"

#include <algorithm>

namespace ke {

namespace {

std::vector<std::uint32_t> gaining_uncles(const tree_index& tree, std::uint32_t parent) {
  std::vector<std::uint32_t> gains;
  const auto above = tree[parent].parent;
  if (above == 0)
    return gains;                                // drafts did not gain on anything
  const auto before = tree.score_before(parent); // what all of them started from
  std::size_t looked_at = 0;
  for (auto c = tree[above].first_child; c != no_node && looked_at < looked_at_uncles;
       c = tree[c].next_sibling, ++looked_at) {
    const auto& row = tree[c];
    if (c != parent && row.state == node_state::correct && !row.duplicate && row.score > before)
      gains.push_back(c);
  }
  order_stably(gains, [&](auto a, auto b) { return tree[a].score > tree[b].score; });
  if (gains.size() > most_uncles)
    gains.resize(most_uncles);
  return gains;
}

} // namespace

history history_of(const tree_index& tree, std::uint32_t parent, std::uint32_t node) {
  history h;
  for (auto up = tree[parent].parent; up != no_node && up != 0 && h.ancestors.size() < most_ancestors;
       up = tree[up].parent)
    h.ancestors.push_back(up);
  for (auto c = tree[parent].first_child; c != no_node && h.siblings.size() < most_siblings;
       c = tree[c].next_sibling)
    if (c != node && !is_open(tree[c].state))
      h.siblings.push_back(c);
  if (parent != 0)
    h.uncles = gaining_uncles(tree, parent);
  return h;
}

std::vector<std::uint32_t> archive_beside(const tree_index& tree, std::uint32_t parent, const history& past) {
  std::vector<std::uint32_t> archive;
  for (auto n : tree.top()) {
    bool shown = n == parent;
    for (const auto* nodes : {&past.ancestors, &past.siblings, &past.uncles})
      shown |= std::find(nodes->begin(), nodes->end(), n) != nodes->end();
    if (!shown && archive.size() < most_archived)
      archive.push_back(n);
  }
  return archive;
}

} // namespace ke
