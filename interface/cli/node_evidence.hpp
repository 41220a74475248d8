#pragma once

#include <cstdint>
#include <functional>

namespace ke {
struct evidence;
} // namespace ke

namespace ke::cli {

class campaign_view;
struct node_view;

/// The stored evidence of a node: by target, the search's first, then the claims'. What can't be read is left out.
void each_evidence(const campaign_view& campaign, const node_view& node,
                   const std::function<void(std::uint32_t target, bool of_claim, const evidence&)>& visit);

} // namespace ke::cli
