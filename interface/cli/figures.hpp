#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

namespace ke {
enum class node_state : std::uint8_t;
enum class timing_decision : std::uint8_t;
struct timing_summary;
struct verdict;
struct workload_timing;
} // namespace ke

namespace ke::cli {

/// Numbers for people: with a unit, and with an interval if measured. Pure.
std::string speedup_text(double estimate, double low, double high); ///< "2.31x [2.27, 2.35]"
/// From the verdict; else "score 2.27"; else "-".
std::string speedup_text(const std::optional<verdict>& v, std::optional<double> score);
std::string nanoseconds_text(double ns); ///< "81.2 us"
/// "52.2 us -> 5.2 us"; names the workload if there are several.
std::string medians_text(const timing_summary& t);
std::string medians_text(const workload_timing& w); ///< "52.2 us -> 5.2 us"; "" if the store does not know
/// Of a claim that is right: which tools looked for faults of it and found none, and which did not look, a line each.
std::string finalist_lines(const verdict& v);
/// If there are several workloads, a line for each, behind `indent`: name, speedup, medians. Marks held-out
/// ones, which are no part of the speedup above.
std::string workload_lines(const timing_summary& t, const std::string& indent);
std::string duration_text(double seconds); ///< "0.4 s", "12 min 5 s", "3 h 20 min"
std::string usd_text(double usd);          ///< "1.23 USD"
std::string count_text(std::uint64_t n);   ///< "1,234,567"
std::string percent_text(double share);    ///< "71%"
std::string fixed(double x, int digits);
std::string state_text(node_state state, timing_decision decision); ///< "correct, faster"
/// UTC, "2026-11-21 14:07"; "-" for 0.
std::string time_text(std::uint64_t unix_ms);
/// The first line, cut to `most` characters.
std::string first_line(const std::string& text, std::size_t most);

} // namespace ke::cli
