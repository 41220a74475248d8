#pragma once

#include "backends/evidence/profile_result.hpp"

#include <string>
#include <string_view>

namespace ke {

/// The metrics that read_ncu takes more from than their own value, for `ncu --metrics`: with commas between them.
std::string ncu_metrics();

/// Why the tool looked at nothing, in a sentence with the remedy, from its own words; empty: they tell nothing.
std::string ncu_trouble(std::string_view text);

/// What Nsight Compute printed of the kernels of one call (`ncu --csv --page raw --print-units base`): of each metric a
/// counter under the tool's own name. Sums are added up over the kernels, what describes a launch (`launch__…`) is that
/// of the kernel that took longest, all else is their mean by the time that each took. Besides:
///   kernels.count     how many ran
///   kernels.ns        how long they took together
///   role.*            how busy the memory, the caches and the units are (metric_roles.hpp), as shares of 1
///   kernels.*         what else device_shares.hpp reads, whatever the vendor
/// and the finding `device_kernels`: the longest, a line each, with their share of that time, grid, block and registers.
/// The first 64 kernels and 160 metrics count; lines of anything else are left out. Without a kernel
/// the finding `no_ncu` says why. Pure.
profile_result read_ncu(std::string_view text);

} // namespace ke
