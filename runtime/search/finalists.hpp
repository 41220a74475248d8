#pragma once

#include "runtime/search/campaign_fold.hpp"

#include <cstddef>
#include <optional>

namespace ke {

/// How many of a campaign's best are measured again for a claim, at most. The plan's levels are divided by it
/// (backends/statistics.cpp).
inline constexpr std::size_t most_finalists = 3;

/// The candidate to measure again next, now that the search is over: in the order of the search's scores,
/// those that it calls faster than the baseline (untimed: right); dispatchers before all others. Measuring
/// ends after `most_finalists`, or as soon as what is left has no score above what has been confirmed.
/// Nothing: all is measured. Pure.
std::optional<tree_node> next_finalist(const campaign_fold& fold);

/// The candidate whose claim would end the search, if there is one: its score reaches the goal by as much as
/// the search has overrated others so far.
std::optional<tree_node> goal_candidate(const campaign_fold& fold);

} // namespace ke
