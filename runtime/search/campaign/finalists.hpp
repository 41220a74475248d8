#pragma once

#include "runtime/search/campaign/campaign_fold.hpp"

#include <cstddef>
#include <optional>

namespace ke {

/// At most this many of a campaign's best are measured again for a claim. The plan's levels are divided by it
/// (backends/verdict/statistics.cpp).
inline constexpr std::size_t most_finalists = 3;

/// After the search: the candidate to measure again next. Candidates that the search calls faster than the
/// baseline (untimed: correct) come in the order of their scores, dispatchers first. Ends after
/// `most_finalists`, or when no score left exceeds what has been confirmed. Empty: all is measured. Pure.
std::optional<tree_node> next_finalist(const campaign_fold& fold);

/// The candidate whose claim would end the search: its score reaches the goal even if overrated as much as
/// earlier ones were. Empty: none.
std::optional<tree_node> goal_candidate(const campaign_fold& fold);

} // namespace ke
