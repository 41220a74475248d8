#pragma once

#include "actors/campaign/campaign_journal.hpp"
#include "actors/campaign/node_rows.hpp"
#include "actors/campaign/target_devices.hpp"
#include "actors/messages/node_messages.hpp"
#include "runtime/core/node_key.hpp"

#include <cstdint>
#include <map>
#include <vector>

namespace ke {

/// What the actors of these open nodes need to begin or to go on, for each tree. Nodes that have ended are
/// left out. Costs a walk over each node's ancestors and siblings.
std::map<std::uint32_t, expand> contexts_of(const campaign_journal& journal, const node_rows& rows,
                                            target_devices& devices, const std::vector<node_key>& nodes);

} // namespace ke
