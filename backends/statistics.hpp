#pragma once

#include "runtime/core/problem.hpp"
#include "runtime/core/types.hpp"
#include "runtime/core/verdict.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace ke {

/// A point estimate with its interval. In this file log ratios throughout, unless a name says otherwise.
struct interval {
  double estimate = 0;
  double low = 0;
  double high = 0;
};

double median_of(std::vector<double> values); ///< 0 for none

/// Hodges-Lehmann: median of the Walsh averages (x_i + x_j) / 2, i <= j. 0 for none.
double hodges_lehmann(std::span<const double> values);

/// Quantile of Student's t: `p` in (0, 1), `df` >= 1.
double student_quantile(double p, double df);

/// Student's interval of the mean at level 1 - alpha; infinite for fewer than two values.
interval t_interval(std::span<const double> values, double alpha);

/// Distribution-free interval of the centre: order statistics of the Walsh averages (inverted signed-rank
/// test). Infinite where so few values cannot reach 1 - alpha.
interval signed_rank_interval(std::span<const double> values, double alpha);

/// One permitted look at the data: after `launches` launches the interval is taken at 1 - alpha.
struct look {
  std::uint32_t launches = 0;
  double alpha = 0;
};

/// What a plan may spend (trust.md 2.5). `rank` is the cheap one: two launches, four if two decide nothing.
/// So few say next to nothing about the spread between launches, hence its interval comes from all pairs, at
/// least half the distance of the launches wide; and a ratio within 5% of 1 counts as `same`. It orders
/// candidates inside a search and is never published. `eval` looks after 5, 8 and 12 launches, `claim` also
/// after 20.
struct sampling_plan {
  std::vector<look> looks;
  std::uint32_t pairs = 0; ///< per launch and workload
  std::uint32_t least_pairs = 0;
  bool held_out = false; ///< held-out workloads are checked and timed
  double budget_s = 0;   ///< wall time for all timed work; fewer pairs, never fewer looks, keep to it
  double same_band = 0;  ///< least half-width of the band that counts as `same`
};
sampling_plan plan_of(measure_plan kind);

/// The samples so far, and what they decide. `decision` is none while open; `final` says that no further
/// launch can change that.
struct comparison {
  timing_summary summary;
  timing_decision decision = timing_decision::none;
  bool final = false;
  bool valid = false; ///< false: a sample is missing, zero, negative or not finite, or a workload has none
};

/// Pure. Launches that are not complete (a workload missing) void the comparison: any invalid shape voids the
/// whole.
comparison compare(std::span<const launch_samples> samples, const problem& what, measure_plan kind,
                   double aa_width, double floor_ns);

/// Half-width of the A/A control's interval (baseline against itself), as a ratio; 0 for fewer than six
/// pairs.
double aa_half_width(std::span<const double> log_ratios);

/// Above this width of the A/A control no decision is made.
inline constexpr double aa_limit = 0.25;

} // namespace ke
