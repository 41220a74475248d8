#pragma once

#include "runtime/core/names.hpp"
#include "runtime/core/timing_decision.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace ke {

// What became of a suite's problems, and the field's own figures. Pure.

/// judged: it counts. The others are told apart from those that were tried without success.
enum class suite_standing : std::uint8_t {
  judged,  ///< candidates could be judged, and its campaign has ended
  unfit,   ///< its own check would accept zeros, a constant or the like
  refused, ///< its reference can't be judged here: too large, too slow, broken when it runs
  broken,  ///< its file can't be read, or no backend of the campaign runs it
  pending  ///< not begun, or interrupted: the next `suite run` goes on
};
KE_NAMES(suite_standing, 5, "judged", "unfit", "refused", "broken", "pending")

/// A problem on a backend, against a baseline.
struct suite_cell {
  std::string problem; ///< as the suite names it
  std::string backend;
  std::string baseline; ///< "reference", "eager", "compile"...
  std::string campaign; ///< its name in the store; empty: there is none
  suite_standing standing = suite_standing::pending;
  /// A verdict's state: of the best candidate, of the one that came nearest, or of the reference if it was refused.
  /// Besides "none": no candidate has a verdict; "broken", "pending".
  std::string state = "pending";
  timing_decision decision = timing_decision::none;
  std::optional<double> score;              ///< lower bound of the speedup; of a correct one that was timed
  std::optional<double> speedup, low, high; ///< its estimate and interval
  bool claimed = false;                     ///< measured again, and confirmed
  std::uint64_t candidates = 0;             ///< that have ended
  std::string device, note;                 ///< note: why it is not correct; what the timing means
  std::map<std::string, std::string> environment; ///< what the numbers depend on: compiler, baseline, flags
};

/// fast[p] = |{correct, score > p}| / n, strictly, over the n judged problems. Nothing without any, and of
/// p > 0 if correct ones were not timed.
struct suite_metrics {
  std::size_t n = 0;
  std::optional<double> fast_0, fast_1, fast_2;
  std::optional<double> geomean; ///< of the scores of the correct ones
};
suite_metrics metrics_of(const std::vector<suite_cell>& cells);

/// By standing, "problems" being their sum, and of the judged ones how many are "correct" and "faster".
std::map<std::string, std::size_t> totals_of(const std::vector<suite_cell>& cells);

/// A line of names, then a line per cell, after RFC 4180. Numbers as they are; empty where there is none.
std::string csv_of(const std::vector<suite_cell>& cells);

} // namespace ke
