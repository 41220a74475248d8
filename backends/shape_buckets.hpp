#pragma once

#include "runtime/core/problem.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace ke {

/// Both ends are included.
struct extent_range {
  std::int64_t low = 1, high = 1;
};
/// The shapes of which one extent lies in each range, in the order of the problem's dims.
using shape_bucket = std::vector<extent_range>;

/// How far a bucket reaches beyond its workload's own extents where no other workload is near.
inline constexpr double bucket_reach = 2;

/// One bucket per workload, in the problem's order: every extent at most `reach` (>= 1; 1: exactly this
/// shape) times smaller or larger than the workload's. Two workloads share a bucket or theirs have no shape
/// in common: between them it is cut at the geometric mean of the extent in which they differ most. Held-out
/// workloads have none (empty) and cut none: nothing that is made by buckets is made for them. Pure.
std::vector<shape_bucket> shape_buckets(const problem& what, double reach = bucket_reach);

/// "M 256..1024, N 64": for people.
std::string bucket_text(const problem& what, const shape_bucket& bucket);

} // namespace ke
