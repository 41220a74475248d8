#pragma once

#include "backends/verdict/quantiles.hpp"
#include "backends/verdict/usual_spread.hpp"
#include "runtime/core/evidence.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/timing_decision.hpp"
#include "runtime/core/verdict.hpp"

#include <cstdint>
#include <span>
#include <vector>

namespace ke {

enum class measure_plan : std::uint8_t;

/// A point estimate with its interval. In this file log ratios, unless a name says otherwise.
struct interval {
  double estimate = 0;
  double low = 0;
  double high = 0;
};

/// Hodges-Lehmann: median of the Walsh averages (x_i + x_j) / 2, i <= j. 0 for none.
double hodges_lehmann(std::span<const double> values);

/// Quantile of Student's t: `p` in (0, 1), `df` >= 1.
double student_quantile(double p, double df);

/// Student's interval of the mean at level 1 - alpha; infinite for fewer than two values.
interval t_interval(std::span<const double> values, double alpha);

/// Distribution-free interval of the centre: order statistics of the Walsh averages (inverted signed-rank
/// test). Infinite for too few values to reach 1 - alpha.
interval signed_rank_interval(std::span<const double> values, double alpha);

/// One permitted look at the data: after `launches` launches the interval is taken at 1 - alpha.
struct look {
  std::uint32_t launches = 0;
  double alpha = 0;
};

/// What a plan may spend (trust.md 2.5).
///   rank    the cheap one: two launches, four and six if fewer decide nothing or predict too little. So few say
///           little about the spread between launches: the interval comes from all pairs, is at least half the
///           distance of the launches wide, and a ratio within 5% of 1, or of which another evaluation may say the
///           opposite, counts as `same`. A candidate whose first launch lies far below 1 gets no second one. Orders
///           candidates inside a search; never published
///   eval    looks after 5, 8 and 12 launches
///   claim   looks also after 20
/// The alphas of `eval`, and of `claim`, add up to less than 5%.
struct sampling_plan {
  std::vector<look> looks;
  std::uint32_t pairs = 0; ///< per launch and workload
  std::uint32_t least_pairs = 0;
  bool held_out = false; ///< held-out workloads are checked and timed
  double budget_s = 0;   ///< wall time for all timed work; kept by fewer pairs, never by fewer looks
  double hold_s = 0;     ///< waits in all until others are calm
  double same_band = 0;  ///< least half-width of the band that counts as `same`
  /// Further looks are taken until the summary's interval is no wider than this, upper over lower bound, or until
  /// the last one; a candidate that is `slower` is not looked at again. 0: as soon as something is decided.
  double wide = 0;
  /// Before the first look: a candidate whose interval (at 0.5%, of the pairs) ends below this is `slower`
  /// without another launch. 0: never.
  double futile_below = 0;
};
/// The levels of `claim` are divided by the number of finalists, because the best of them is published.
inline constexpr double claim_finalists = 3;
sampling_plan plan_of(measure_plan kind);

/// The samples so far, and what they decide. `decision` is none while open; `final`: no further launch can
/// change it.
struct comparison {
  timing_summary summary;
  timing_decision decision = timing_decision::none;
  bool final = false;
  bool valid = false; ///< false: a sample is missing, zero, negative or not finite, or a workload has none
  bool too_short = false; ///< nothing is decided: a call is too short to be told from the path to it
};

/// The gate's facts about the machine during the samples.
struct machine_noise {
  bool loud = false; ///< others had the processors for a good part of the time, or the host took them
  std::int64_t discarded = 0; ///< pairs already left out for that
  usual_spread spread;        ///< zeros: unknown, nothing is predicted
};

/// Half-width at 95% of where the estimate of another evaluation with as many launches will lie around this one's, both
/// being off: t sqrt(2 (s^2 / n + run^2)). s^2 is the variance of these launches' estimates, of which few know little,
/// and the usual one, which counts as much as five of them (a posterior mean under a scaled inverse chi-squared prior).
double prediction_half_width(std::span<const double> launches, const usual_spread& usual);

/// Pure. An incomplete launch (a workload of the plan is missing) voids the comparison. Summary and decision
/// are of the workloads that are not held out; held-out ones are reported singly. Calls of less than 1/256 of
/// an empty order (of at most 128 calls) decide nothing: this floor per shape keeps a time of nothing out of
/// the geometric mean. On a loud machine the first look decides only what is beyond doubt, and later ones
/// keep a wider distance from 1.
///
/// The estimate is of the typical call. If the mean times say significantly less (few calls carry most of the
/// cost), their interval counts. The interval of the mean decides; the summary's is, except for `claim`, at least as
/// wide as prediction_half_width says.
comparison compare(std::span<const launch_samples> samples, const problem& what, measure_plan kind,
                   double aa_width, double floor_ns, machine_noise noise = {});

/// Half-width of the A/A control's interval (baseline against itself), as a ratio; for fewer than six pairs
/// that of the worst, 0 for none.
double aa_half_width(std::span<const double> log_ratios);

/// The A/A control of one launch: log ratios of neighbouring baseline samples, one fewer than pairs.
/// Neighbours share a sample, so an interval is too wide rather than too narrow. A second baseline run within
/// a pair would warm its caches and favour it over the candidate.
std::vector<double> control_ratios(std::span<const double> reference_ns);

/// The control's half-width by the procedure of the candidate's interval: all pairs for `rank`, else launches
/// as units.
double control_width(std::span<const std::vector<double>> launches, measure_plan kind);

/// Above this width w of the A/A control only a ratio beyond 1 + 2 w (or below the inverse) is decided.
inline constexpr double aa_limit = 0.25;

/// A share of 0..1; what is no number, or beyond all of them, is 0.
double unit_share(double x);

} // namespace ke
