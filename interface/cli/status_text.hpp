#pragma once

#include "interface/cli/status_document.hpp"

#include <string>
#include <vector>

namespace ke::cli {

/// A campaign's status for a person: state, best with interval, remaining budget, rate, failures by kind,
/// workers, the best nodes with their bottlenecks. Several lines, each ended. Pure.
std::string status_text(const campaign_status& campaign, const std::vector<top_node>& top);

/// The same in one line, for a pipe.
std::string status_line(const campaign_status& campaign);

/// Whether its owner lives and it is neither finished nor failed.
bool still_runs(const campaign_status& campaign);

} // namespace ke::cli
