#pragma once

#include "runtime/core/result.hpp"

#include <map>
#include <string>
#include <string_view>

namespace ke {

struct evidence;

/// What a tool's number says of a kernel, whatever its vendor calls it: a share of a limit, 0..1.
///   memory     of main memory's bandwidth            compute    of the arithmetic units
///   cache      of a cache's or local memory's        tensor     of the matrix units
///   latency    of the time waiting for results       frontend   of the time waiting for instructions
///   occupancy  of the units or thread slots at work  overhead   of the time before, between and after the work
/// All but `occupancy` speak for a bottleneck when they are high, `occupancy` when it is low.
bool is_metric_role(std::string_view name);

/// [metrics] of a manifest: a tool's name for a number -> "ROLE", or "ROLE percent" where 100 is all of it.
using metric_roles = std::map<std::string, std::string>;

/// What is wrong with one of these values, as the rest of a sentence that begins with it; empty: nothing.
std::string metric_role_fault(std::string_view value);

/// Counters role.ROLE (of several names the largest) for the counters that are named, and the finding `units`: who
/// says so, a line a role. Numbers outside of 0..1 by more than a hundredth say nothing. Pure.
void add_roles(const metric_roles& roles, evidence& into);

} // namespace ke
