#include "runtime/search/campaign/dispatchers.hpp"

#include "runtime/core/node_state.hpp"
#include "runtime/core/stable_order.hpp"

namespace ke {

std::vector<std::uint32_t> dispatchable(const tree_index& tree, std::size_t most) {
  std::vector<std::uint32_t> nodes;
  for (std::uint32_t n = 1; n < tree.size(); ++n)
    if (const auto& row = tree[n];
        row.state == node_state::correct && row.score > 0 && !row.duplicate && !is_dispatcher(row))
      nodes.push_back(n);
  order_stably(nodes, [&](auto a, auto b) { return tree[a].score > tree[b].score; });
  if (nodes.size() > most)
    nodes.resize(most);
  return nodes;
}

} // namespace ke
