#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ke {

struct problem;

/// Both ends are included.
struct extent_range {
  std::int64_t low = 1, high = 1;
};
/// Shapes with one extent in each range, in the order of the problem's dims.
using shape_bucket = std::vector<extent_range>;

/// How far a bucket reaches beyond its workload's own extents if no other workload is near.
inline constexpr double bucket_reach = 2;

/// One bucket per workload, in the problem's order: every extent at most `reach` (>= 1; 1: exactly this
/// shape) times smaller or larger than the workload's. Buckets of two workloads are equal or disjoint: cut
/// between them at the geometric mean of the extent in which they differ most. Held-out workloads have no
/// bucket (empty) and cut none. Pure.
std::vector<shape_bucket> shape_buckets(const problem& what, double reach = bucket_reach);

/// "M 256..1024, N 64": for people.
std::string bucket_text(const problem& what, const shape_bucket& bucket);

} // namespace ke
