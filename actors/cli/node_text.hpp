#pragma once

#include "actors/cli/campaign_view.hpp"

#include <iosfwd>
#include <string>

namespace ke::cli {

/// `show NODE` for a person.
status write_node_text(const campaign_view& campaign, const node_view& node, std::ostream& out);

/// `tree` for a person: each tree indented, a line per node. `most` bounds the lines; what is left out is
/// counted.
status write_tree_text(const campaign_view& campaign, std::uint64_t since, std::uint64_t most,
                       std::ostream& out);

/// Two verdicts side by side, one line per fact that both or one has.
std::string verdict_comparison(const campaign_view& campaign, const node_view& a, const node_view& b);

} // namespace ke::cli
