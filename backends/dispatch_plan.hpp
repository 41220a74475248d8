#pragma once

#include "runtime/core/problem.hpp"
#include "runtime/core/settings.hpp"
#include "runtime/core/types.hpp"
#include "runtime/core/verdict.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ke {

/// A candidate that was judged `correct`, as far as the choice between several of them goes.
struct shape_contender {
  std::uint32_t node = 0;
  double score = 0; ///< over all workloads
  double same = 0;  ///< relative difference that this measurement can't tell
  std::vector<workload_timing> workloads;
};

/// A verdict's; nothing of one that was not timed. `same` is the wider one of the A/A control and of what
/// the plan calls the same, as for the floor.
std::optional<shape_contender> contender_of(std::uint32_t node, const verdict& v, measure_plan plan);

/// Who is the best on one workload, by the lower end of its interval; of equal ones the first.
struct shape_winner {
  std::string workload;
  std::size_t index = 0; ///< of the workload in the problem
  std::uint32_t node = 0;
  workload_timing timing;
};
/// Of each workload that anybody was timed on, in the problem's order; held-out ones are left out. Pure.
std::vector<shape_winner> shape_winners(const problem& what, const std::vector<shape_contender>& all);

/// Which node is to compute which workload's shapes.
struct dispatch_choice {
  std::size_t workload = 0;          ///< index in the problem
  std::optional<std::uint32_t> node; ///< none: the fallback
};

/// Which shapes a dispatcher should give to whom, or nothing where one candidate is as good. It is the one
/// with the best mean, but for workloads where another one's interval lies wholly above its own, and further
/// than what the measurement calls the same. A dispatcher is of use if there is such a workload, or one where
/// the chosen one lies below the floor; then whoever is slower than the baseline gives way to the fallback.
/// Choices without a node are listed, too. `always`: one is wanted though a single candidate is as good, and
/// there is none only where nothing is faster than the baseline anywhere. Pure.
std::optional<std::vector<dispatch_choice>> plan_dispatch(const problem& what,
                                                          const std::vector<shape_contender>& all,
                                                          const goal_settings& goal, bool always = false);

} // namespace ke
