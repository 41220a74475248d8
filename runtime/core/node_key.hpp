#pragma once

#include "runtime/core/fields.hpp"

#include <cstdint>

namespace ke {

/// A search-tree node's place: campaign (store-wide number), tree (one per backend), node (0 is the reference
/// root).
struct node_key {
  std::uint32_t campaign = 0;
  std::uint32_t tree = 0;
  std::uint32_t node = 0;
};
KE_FIELDS(node_key, x.campaign, x.tree, x.node)
inline bool operator<(const node_key& a, const node_key& b) {
  return fields(a) < fields(b);
}

} // namespace ke
