#pragma once

#include "interface/cli/campaign_view.hpp"

#include <iosfwd>

namespace ke::cli {

/// A table of all nodes, RFC 4180 with a header line.
status write_csv(const campaign_view& campaign, std::ostream& out);

} // namespace ke::cli
