#pragma once

#include "runtime/core/verdict.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ke {

enum class measure_plan : std::uint8_t;
struct goal_settings;
struct problem;

/// A candidate judged `correct`, for the choice between several.
struct shape_contender {
  std::uint32_t node = 0;
  double score = 0; ///< over all workloads
  double same = 0;  ///< relative difference below which this measurement can't tell
  std::vector<workload_timing> workloads;
};

/// The contender of a verdict; nothing if it was not timed. `same` is the wider one of the A/A control and
/// the plan's own band, as for the floor.
std::optional<shape_contender> contender_of(std::uint32_t node, const verdict& v, measure_plan plan);

/// The best on one workload, by the lower end of the interval; of equal ones the first.
struct shape_winner {
  std::string workload;
  std::size_t index = 0; ///< of the workload in the problem
  std::uint32_t node = 0;
  workload_timing timing;
};
/// For each timed workload that is not held out, in the problem's order. Pure.
std::vector<shape_winner> shape_winners(const problem& what, const std::vector<shape_contender>& all);

/// Which node computes which workload's shapes.
struct dispatch_choice {
  std::size_t workload = 0;          ///< index in the problem
  std::optional<std::uint32_t> node; ///< none: the fallback
};

/// The shapes that a dispatcher should give to each node, or nothing if one candidate is as good. The
/// candidate with the best mean computes all shapes, except where another one's whole interval on a workload
/// lies above it by more than the measurement calls the same. A dispatcher is of use if there is such a
/// workload, or one where the chosen candidate lies below the floor; then nodes slower than the baseline give
/// way to the fallback. Choices without a node are listed, too. `always`: also if a single candidate is as
/// good; nothing only if no candidate is faster than the baseline anywhere. Pure.
std::optional<std::vector<dispatch_choice>> plan_dispatch(const problem& what,
                                                          const std::vector<shape_contender>& all,
                                                          const goal_settings& goal, bool always = false);

} // namespace ke
