#include "runtime/search/history.hpp"

namespace ke {

history history_of(const tree_index& tree, std::uint32_t parent, std::uint32_t node) {
  history h;
  for (auto up = tree[parent].parent; up != no_node && up != 0 && h.ancestors.size() < most_ancestors;
       up = tree[up].parent)
    h.ancestors.push_back(up);
  for (auto c = tree[parent].first_child; c != no_node && h.siblings.size() < most_siblings;
       c = tree[c].next_sibling)
    if (c != node && !is_open(tree[c].state))
      h.siblings.push_back(c);
  return h;
}

} // namespace ke
