#pragma once

#include "interface/cli/report_facts.hpp"
#include "runtime/core/verdict.hpp"

#include <string>

namespace ke::cli {

enum class plot_axis { time, candidates };

/// Best-so-far speedup with its intervals, and a dot per candidate, as inline SVG. Colours are classes of the
/// page's style. Pure.
std::string speedup_plot(const report_facts& facts, plot_axis over);

/// Horizontal bars with intervals: the speedup on each workload, and 1 as a line.
std::string workload_plot(const timing_summary& timing);

} // namespace ke::cli
