#pragma once

#include "runtime/core/names.hpp"

#include <cstdint>
#include <functional>

namespace ke {
struct evidence;
} // namespace ke

namespace ke::cli {

/// What a piece of evidence was found for.
enum class measured_for : std::uint8_t { search, claim, second_device };

class campaign_view;
struct node_view;

/// The stored evidence of a node: by target, the search's first, then the claims', then the second devices'. What can't be read is left out.
void each_evidence(
    const campaign_view& campaign, const node_view& node,
    const std::function<void(std::uint32_t target, measured_for what, const evidence&)>& visit);

} // namespace ke::cli

namespace ke {
KE_NAMES(cli::measured_for, 3, "search", "claim", "second")
} // namespace ke
