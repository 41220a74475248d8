#pragma once

#include "interface/cli/campaign_view.hpp"

#include <cstddef>
#include <cstdint>
#include <iosfwd>
#include <limits>
#include <string>

namespace ke::cli {

/// One element of `tree --json` (product.md), on one line.
std::string node_json(const campaign_view& campaign, const node_view& node);

struct tree_range {
  std::uint64_t since = 0; ///< the first id
  std::uint64_t limit = std::numeric_limits<std::uint64_t>::max();
};

/// The whole document {"nodes": [...]}, streamed: memory does not grow with the number of nodes.
status write_tree_json(const campaign_view& campaign, tree_range range, std::ostream& out);

/// Everything known of one node: the tree's fields, then texts, verdicts, evidence and calls.
std::string node_report_json(const campaign_view& campaign, const node_view& node);

} // namespace ke::cli
