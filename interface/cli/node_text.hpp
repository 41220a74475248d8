#pragma once

#include "interface/cli/campaign_view.hpp"

#include <iosfwd>
#include <string>

namespace ke::cli {

/// `show NODE` for a person.
status write_node_text(const campaign_view& campaign, const node_view& node, std::ostream& out);

/// `tree` for a person: each tree indented, a line per node. At most `most` lines; counts what it leaves out.
status write_tree_text(const campaign_view& campaign, std::uint64_t since, std::uint64_t most,
                       std::ostream& out);

/// Two verdicts side by side, one line per fact of either.
std::string verdict_comparison(const campaign_view& campaign, const node_view& a, const node_view& b);

} // namespace ke::cli
