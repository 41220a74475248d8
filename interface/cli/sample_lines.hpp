#pragma once

#include <string>
#include <string_view>

namespace ke {
struct evidence;
struct problem;
} // namespace ke

namespace ke::cli {

/// What every pair took, for those who compute with it: one JSON object a line for each launch and workload, in the order
/// in which they were measured: candidate, launch (from 0), workload, reference_ns and candidate_ns (of one call, by pairs).
/// Pure.
std::string sample_lines(std::string_view candidate, const evidence& found, const problem& what);

} // namespace ke::cli
