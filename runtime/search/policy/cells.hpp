#pragma once

#include "runtime/core/search_kinds.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ke {

class tree_index;

/// What tools said of a candidate, for tree_index::measure: the bin of its bottleneck and that of its reached
/// share of the machine's limit, a byte each. 0 in a byte, and in the whole, is the bin of what was not
/// measured. The edges never move: a campaign that is resumed has the same cells. Bottlenecks: memory,
/// compute, latency, occupancy, frontend, overhead, then all others. Shares: below 5, 10, 20, 40, 70 per
/// cent, and above.
std::uint32_t bins_of(std::string_view bottleneck, std::optional<double> roofline);

/// The bin of a score: half octaves from 1/16 to 1024 times the baseline; 0: it has none.
std::uint32_t bin_of_score(double score);

/// The cell of a node on these axes (names of cell_axis; unknown ones are passed over); nothing if its kind
/// alone decides and is not known. With `kind` alone it is the descriptor itself. Pure.
std::optional<std::uint32_t> cell_of(const tree_index& tree, std::uint32_t node,
                                     const std::vector<std::string>& axes);

} // namespace ke
