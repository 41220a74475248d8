#pragma once

#include "runtime/core/device_info.hpp"
#include "runtime/core/result.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ke {

/// The most that a machine does, as measured. Keys (`.1`: one thread, `.all`: all cores at once):
///   flops.DTYPE.ISA.1|all   operations per second: DTYPE f32 f64 bf16 i32 i8, ISA scalar sse avx2 avx512
///   bytes.LEVEL.1|all       bytes per second, read and written: LEVEL l1 l2 l3 dram, the best access pattern
///   latency.LEVEL           seconds per dependent load
///   size.LEVEL              bytes
///   clock                   cycles per second of one thread
///   threads                 cores that were measured together
///   noise                   0..1: how far the typical sample lay below the best one
using peak_map = std::map<std::string, double>;

/// Measures the peaks: about a second, on all cores. Each figure is the best of several samples, because
/// other programs can only slow a sample down. Empty without kernels for the architecture. Blocks.
peak_map measure_peaks(const device_info& cpu);

/// Figure by figure the better of two measurements of one machine: a peak is a maximum.
peak_map better_peaks(const peak_map& a, const peak_map& b);

/// As text and back: lines "key value" below a header. Unreadable text gives `invalid`.
std::string peaks_text(const peak_map& peaks);
result<peak_map> parse_peaks(std::string_view text);

/// The file for this CPU (model, isa, cores) in `folder`.
std::filesystem::path peaks_file(const std::filesystem::path& folder, const device_info& cpu);

/// The file's peaks; if there are none, measures them and keeps them if the folder can be written to.
/// `again`: measures in any case and keeps the better of both. An empty folder: nothing is kept.
peak_map peaks_of_machine(const std::filesystem::path& folder, const device_info& cpu, bool again = false);

/// For a person: (what, figures with units), a line for each level of memory, each dtype, and the clock.
std::vector<std::pair<std::string, std::string>> describe_peaks(const peak_map& peaks);

/// The folder for commands without a store: `ke-runtime` in $XDG_CACHE_HOME or ~/.cache; empty without
/// either.
std::filesystem::path user_cache_folder();

/// A device tells its peaks as facts with the prefix "peak.".
void announce_peaks(const peak_map& peaks, device_info& device);
peak_map announced_peaks(const device_info& device);

} // namespace ke
