#include "backends/verdict/statistics.hpp"

#include "runtime/core/measure_plan.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace ke {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

std::vector<double> walsh_averages(std::span<const double> values) {
  std::vector<double> averages;
  averages.reserve(values.size() * (values.size() + 1) / 2);
  for (std::size_t i = 0; i < values.size(); ++i)
    for (std::size_t j = i; j < values.size(); ++j)
      averages.push_back((values[i] + values[j]) / 2);
  return averages;
}

/// Largest c with P(W <= c) <= tail, W the signed-rank statistic of n values under symmetry; -1 if even W = 0
/// is too likely.
long signed_rank_critical(std::size_t n, double tail) {
  if (n > 60) { // the normal approximation is exact enough
    double mean = n * (n + 1) / 4.0, sd = std::sqrt(n * (n + 1) * (2.0 * n + 1) / 24.0);
    double z = student_quantile(tail, 1e7);
    return std::max<long>(-1, static_cast<long>(std::floor(mean + z * sd - 0.5)));
  }
  std::size_t top = n * (n + 1) / 2;
  std::vector<double> chance(top + 1, 0.0);
  chance[0] = 1;
  for (std::size_t rank = 1; rank <= n; ++rank) {
    for (std::size_t w = top + 1; w-- > 0;)
      chance[w] = 0.5 * chance[w] + (w >= rank ? 0.5 * chance[w - rank] : 0.0);
  }
  double sum = 0;
  for (std::size_t w = 0; w <= top; ++w) {
    sum += chance[w];
    if (sum > tail)
      return static_cast<long>(w) - 1;
  }
  return static_cast<long>(top);
}

/// Continued fraction of the regularised incomplete beta function.
double beta_fraction(double a, double b, double x) {
  constexpr double tiny = 1e-300;
  double c = 1, d = 1 - (a + b) * x / (a + 1);
  d = 1 / (std::fabs(d) < tiny ? tiny : d);
  double h = d;
  for (int m = 1; m < 400; ++m) {
    double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 + even * d;
    d = 1 / (std::fabs(d) < tiny ? tiny : d);
    c = 1 + even / c;
    c = std::fabs(c) < tiny ? tiny : c;
    h *= d * c;
    double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 + odd * d;
    d = 1 / (std::fabs(d) < tiny ? tiny : d);
    c = 1 + odd / c;
    c = std::fabs(c) < tiny ? tiny : c;
    double step = d * c;
    h *= step;
    if (std::fabs(step - 1) < 1e-14)
      break;
  }
  return h;
}

double incomplete_beta(double a, double b, double x) {
  if (x <= 0)
    return 0;
  if (x >= 1)
    return 1;
  double front =
      std::exp(std::lgamma(a + b) - std::lgamma(a) - std::lgamma(b) + a * std::log(x) + b * std::log1p(-x));
  return x < (a + 1) / (a + b + 2) ? front * beta_fraction(a, b, x) / a
                                   : 1 - front * beta_fraction(b, a, 1 - x) / b;
}

double student_cdf(double t, double df) {
  double half = 0.5 * incomplete_beta(df / 2, 0.5, df / (df + t * t));
  return t > 0 ? 1 - half : half;
}

constexpr double floor_share = 1.0 / 256;

/// The log ratios of one launch on one workload, or nothing if a sample is not a time.
std::vector<double> log_ratios(const launch_samples& s) {
  auto usable = [&](double ns) { return std::isfinite(ns) && ns > 0; };
  std::vector<double> logs;
  if (s.reference_ns.size() != s.candidate_ns.size())
    return {};
  for (std::size_t i = 0; i < s.reference_ns.size(); ++i) {
    if (!usable(s.reference_ns[i]) || !usable(s.candidate_ns[i]))
      return {};
    logs.push_back(std::log(s.reference_ns[i] / s.candidate_ns[i]));
  }
  return logs;
}

struct series {
  double weight = 0;
  bool held_out = false;
  std::vector<std::vector<double>> launches;      ///< log ratios of each launch
  std::vector<double> means;                      ///< log ratio of each launch's mean times
  std::vector<double> reference_ns, candidate_ns; ///< of all launches
};

double mean_of(std::span<const double> values) {
  double sum = 0;
  for (double v : values)
    sum += v;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

/// The log ratio of the mean times with an interval by the delta method. One outlier widens it by as much as
/// it moves it, so only outliers that come again and again can move the whole interval.
interval mean_interval(const series& s, double alpha) {
  double a = mean_of(s.reference_ns), b = mean_of(s.candidate_ns),
         n = static_cast<double>(s.candidate_ns.size());
  double estimate = std::log(a / b), squares = 0;
  if (n < 4)
    return {estimate, -infinite, infinite};
  for (std::size_t i = 0; i < s.candidate_ns.size(); ++i)
    squares += std::pow(s.reference_ns[i] / a - s.candidate_ns[i] / b, 2);
  double half = student_quantile(1 - alpha / 2, n - 1) * std::sqrt(squares / (n - 1) / n);
  return {estimate, estimate - half, estimate + half};
}

/// With few launches: the interval of all pairs, widened by half the spread of the launches' own estimates.
interval pooled_interval(const series& s, double alpha) {
  std::vector<double> all, estimates;
  for (const auto& launch : s.launches) {
    all.insert(all.end(), launch.begin(), launch.end());
    estimates.push_back(hodges_lehmann(launch));
  }
  interval i = signed_rank_interval(all, alpha);
  auto [least, most] = std::minmax_element(estimates.begin(), estimates.end());
  double spread = estimates.empty() ? 0 : (*most - *least) / 2;
  i.low = std::min(i.low, i.estimate - spread);
  i.high = std::max(i.high, i.estimate + spread);
  return i;
}

interval launch_interval(const series& s, double alpha) {
  std::vector<double> estimates;
  estimates.reserve(s.launches.size());
  for (const auto& launch : s.launches)
    estimates.push_back(hodges_lehmann(launch));
  return t_interval(estimates, alpha);
}

/// Weighted mean of the workloads' logs, with the half-widths of independent intervals added in quadrature.
template <class Each>
interval combined(const std::vector<series>& all, Each each) {
  double estimate = 0, below = 0, above = 0;
  for (const auto& s : all) {
    interval i = each(s);
    estimate += s.weight * i.estimate;
    below += s.weight > 0 ? std::pow(s.weight * (i.estimate - i.low), 2) : 0;
    above += s.weight > 0 ? std::pow(s.weight * (i.high - i.estimate), 2) : 0;
  }
  return {estimate, estimate - std::sqrt(below), estimate + std::sqrt(above)};
}

/// The workloads' estimates of each launch as one, weighted, then Student's interval over the launches.
template <class Estimate>
interval over_launches(const std::vector<series>& all, double alpha, Estimate estimate) {
  std::vector<double> estimates(all.front().launches.size(), 0.0);
  for (const auto& s : all)
    for (std::size_t l = 0; l < estimates.size(); ++l)
      estimates[l] += s.weight * estimate(s, l);
  return t_interval(estimates, alpha);
}

/// The samples by workload, the weights of those that are not held out adding up to 1: what is claimed is
/// what was asked. Empty if the samples are not whole.
std::map<std::uint32_t, series> by_workload(std::span<const launch_samples> samples, const problem& what,
                                            bool held_out) {
  std::map<std::uint32_t, series> all;
  for (const auto& s : samples) {
    auto logs = log_ratios(s);
    if (logs.empty() || s.workload >= what.workloads.size())
      return {};
    auto& into = all[s.workload];
    into.launches.push_back(std::move(logs));
    into.means.push_back(std::log(mean_of(s.reference_ns) / mean_of(s.candidate_ns)));
    into.reference_ns.insert(into.reference_ns.end(), s.reference_ns.begin(), s.reference_ns.end());
    into.candidate_ns.insert(into.candidate_ns.end(), s.candidate_ns.begin(), s.candidate_ns.end());
  }
  double weights = 0, own = 0;
  for (std::uint32_t w = 0; w < what.workloads.size(); ++w) {
    auto at = all.find(w);
    if (at == all.end() && (held_out || !what.workloads[w].held_out))
      return {};
    if (at == all.end())
      continue;
    at->second.held_out = what.workloads[w].held_out;
    if (at->second.held_out)
      continue;
    weights += at->second.weight = std::max(0.0, what.workloads[w].weight);
    ++own;
  }
  if (own == 0) // nothing was asked that could be claimed
    return {};
  for (auto& [index, s] : all) {
    if (s.launches.size() != all.begin()->second.launches.size())
      return {};
    if (!s.held_out)
      s.weight = weights > 0 ? s.weight / weights : 1 / own;
  }
  return all;
}

} // namespace

double hodges_lehmann(std::span<const double> values) {
  return median_of(walsh_averages(values));
}

double student_quantile(double p, double df) {
  double low = -1, high = 1;
  while (student_cdf(low, df) > p)
    low *= 2;
  while (student_cdf(high, df) < p)
    high *= 2;
  for (int i = 0; i < 200 && high - low > 1e-12 * std::max(1.0, std::fabs(low)); ++i) {
    double middle = (low + high) / 2;
    (student_cdf(middle, df) < p ? low : high) = middle;
  }
  return (low + high) / 2;
}

interval t_interval(std::span<const double> values, double alpha) {
  double mean = 0;
  for (double v : values)
    mean += v / static_cast<double>(values.size());
  if (values.size() < 2)
    return {mean, -infinite, infinite};
  double squares = 0;
  for (double v : values)
    squares += (v - mean) * (v - mean);
  double n = static_cast<double>(values.size());
  double half = student_quantile(1 - alpha / 2, n - 1) * std::sqrt(squares / (n - 1) / n);
  return {mean, mean - half, mean + half};
}

interval signed_rank_interval(std::span<const double> values, double alpha) {
  auto averages = walsh_averages(values);
  interval i{median_of(averages), -infinite, infinite};
  long critical = signed_rank_critical(values.size(), alpha / 2);
  if (critical < 0 || averages.empty())
    return i;
  std::sort(averages.begin(), averages.end());
  auto cut = static_cast<std::size_t>(critical);
  i.low = averages[cut];
  i.high = averages[averages.size() - 1 - cut];
  return i;
}

sampling_plan plan_of(measure_plan kind) {
  switch (kind) {
  case measure_plan::rank:
    return {{{2, 0.03}, {4, 0.01}, {6, 0.01}}, 24, 8, false, 0.9, 1.5, 0.05, 1.25, 0.75};
  case measure_plan::eval:
    return {{{5, 0.005}, {8, 0.010}, {12, 0.015}}, 20, 8, true, 12.0, 5, 0.02, 0, 0};
  case measure_plan::claim:
    return {{{5, 0.005 / claim_finalists},
             {8, 0.010 / claim_finalists},
             {12, 0.015 / claim_finalists},
             {20, 0.020 / claim_finalists}},
            24,
            20,
            true,
            60.0,
            20,
            0.02,
            0,
            0};
  }
  return {};
}

double prediction_half_width(std::span<const double> launches, const usual_spread& usual) {
  constexpr double usual_counts = 5; // degrees of freedom
  auto n = static_cast<double>(launches.size());
  if (n < 1 || (usual.launch <= 0 && usual.run <= 0))
    return 0;
  double mean = mean_of(launches), squares = usual_counts * usual.launch * usual.launch;
  for (double e : launches)
    squares += (e - mean) * (e - mean);
  double freedom = usual_counts + n - 1;
  return student_quantile(0.975, freedom) * std::sqrt(2 * (squares / freedom / n + usual.run * usual.run));
}

double aa_half_width(std::span<const double> log_ratios) {
  double most = 0;
  for (double l : log_ratios)
    most = std::max(most, std::fabs(l));
  if (log_ratios.size() < 6) // too few for an interval, so the worst of them
    return std::expm1(most);
  interval i = signed_rank_interval(log_ratios, 0.05);
  return std::expm1(std::isfinite(i.low) ? std::max(std::fabs(i.low), std::fabs(i.high)) : most);
}

std::vector<double> control_ratios(std::span<const double> reference_ns) {
  std::vector<double> logs;
  for (std::size_t i = 1; i < reference_ns.size(); ++i)
    logs.push_back(std::log(reference_ns[i - 1] / reference_ns[i]));
  return logs;
}

double control_width(std::span<const std::vector<double>> launches, measure_plan kind) {
  const look* reached = nullptr;
  auto plan = plan_of(kind);
  for (const auto& l : plan.looks)
    if (l.launches <= launches.size())
      reached = &l;
  std::vector<double> values;
  if (kind == measure_plan::rank || !reached || launches.size() < 3) {
    for (const auto& launch : launches)
      values.insert(values.end(), launch.begin(), launch.end());
    return aa_half_width(values);
  }
  for (const auto& launch : launches)
    values.push_back(hodges_lehmann(launch));
  auto i = t_interval(values, reached->alpha);
  return std::expm1(std::max(std::fabs(i.low), std::fabs(i.high)));
}

namespace {

/// The look that these launches have reached, and no other: intervals between two looks decide nothing. Null: none.
const look* reached_of(const sampling_plan& plan, std::size_t launches) {
  const look* reached = nullptr;
  for (const auto& l : plan.looks)
    if (l.launches <= launches)
      reached = &l;
  return reached;
}

/// By medians, or by means where that says less: who is slow now and then is.
interval whole_interval(const std::vector<series>& all, double alpha, bool few) {
  interval whole, means;
  if (few) {
    whole = combined(all, [&](const series& s) { return pooled_interval(s, alpha); });
    means = combined(all, [&](const series& s) { return mean_interval(s, alpha); });
  } else {
    whole = over_launches(all, alpha,
                          [](const series& s, std::size_t l) { return hodges_lehmann(s.launches[l]); });
    means = over_launches(all, alpha, [](const series& s, std::size_t l) { return s.means[l]; });
  }
  return means.high < whole.low ? means : whole;
}

/// The workloads' estimates of each launch as one.
std::vector<double> launch_estimates(const std::vector<series>& all) {
  std::vector<double> estimates(all.front().launches.size(), 0.0);
  for (const auto& s : all)
    for (std::size_t l = 0; l < estimates.size(); ++l)
      estimates[l] += s.weight * hodges_lehmann(s.launches[l]);
  return estimates;
}

/// No narrower than what another evaluation may well say.
interval with_prediction(interval whole, double half) {
  whole.low = std::min(whole.low, whole.estimate - half);
  whole.high = std::max(whole.high, whole.estimate + half);
  return whole;
}

void summarize(const interval& whole, timing_summary& sum) {
  sum.speedup = std::exp(whole.estimate);
  sum.low = std::exp(whole.low);
  sum.high = std::exp(whole.high);
}

void summarize_first(const series& first, timing_summary& sum) {
  sum.reference_ns = median_of(first.reference_ns);
  sum.candidate_ns = median_of(first.candidate_ns);
  sum.best_ns = *std::min_element(first.candidate_ns.begin(), first.candidate_ns.end());
  sum.mad_ns = median_distance(first.candidate_ns);
}

/// Of the mean, as ratios.
struct ratio_bounds {
  double low = 0, high = 0;
};

/// What an interval decides at a look. `first`, `last`: which of the plan's looks it is.
timing_decision decision_at(const ratio_bounds& mean, double aa_width, const sampling_plan& plan, bool loud,
                            bool first, bool last) {
  if (aa_width > aa_limit) {
    // So noisy that only what is far beyond the noise can be told: a winner of 2x on a loaded machine.
    double needed = 1 + 2 * aa_width;
    return mean.low > needed        ? timing_decision::faster
           : mean.high < 1 / needed ? timing_decision::slower
                                    : timing_decision::none;
  }
  // A loud machine's noise need not be as independent as the interval takes it to be.
  double delta = std::max(loud ? 0.05 : 0.02, aa_width), band = std::max(delta, plan.same_band);
  bool doubtful = loud && first && !last;
  if (mean.low > (doubtful ? 1.3 : 1 + delta))
    return timing_decision::faster;
  if (!doubtful && mean.low > 1 - band && mean.high < 1 + band)
    return timing_decision::same;
  if (mean.high < (doubtful ? 1 / 1.3 : loud ? 1 - delta : 1.0))
    return timing_decision::slower;
  return timing_decision::none;
}

/// Of a search's cheap look: what another may well contradict is no difference.
timing_decision foreseen(timing_decision decision, const timing_summary& sum, const sampling_plan& plan) {
  bool open = plan.wide > 0 && sum.low <= 1 && sum.high >= 1;
  return open && (decision == timing_decision::faster || decision == timing_decision::slower)
             ? timing_decision::same
             : decision;
}

void conclude(comparison& out, const ratio_bounds& mean, const sampling_plan& plan, const look* reached,
              bool early, bool loud) {
  const auto& sum = out.summary;
  bool first = reached == &plan.looks.front(), last = reached == &plan.looks.back(),
       bounded = std::isfinite(sum.low) && std::isfinite(sum.high);
  out.final = last;
  if (out.too_short)
    return;
  if (early && bounded && sum.aa_width <= aa_limit && mean.high < (loud ? 0.6 : 1.0) * plan.futile_below) {
    out.decision = timing_decision::slower;
    out.final = true;
    return;
  }
  if (reached && bounded)
    out.decision = foreseen(decision_at(mean, sum.aa_width, plan, loud, first, last), sum, plan);
  bool narrow = plan.wide <= 0 || sum.high <= plan.wide * sum.low || out.decision == timing_decision::slower;
  out.final = last || (reached && out.decision != timing_decision::none && narrow);
}

/// The workloads that are not held out: their samples, the weighted mean of the logarithm of their speedups,
/// and the shortest time of either side, in ns.
struct searched_workloads {
  std::vector<series> all;
  double mean = 0, shortest = infinite;
};

searched_workloads searched_of(const std::map<std::uint32_t, series>& found) {
  searched_workloads out;
  for (const auto& [index, s] : found) {
    if (s.held_out)
      continue;
    out.mean += s.weight * std::log(mean_of(s.reference_ns) / mean_of(s.candidate_ns));
    out.shortest = std::min({out.shortest, *std::min_element(s.candidate_ns.begin(), s.candidate_ns.end()),
                             *std::min_element(s.reference_ns.begin(), s.reference_ns.end())});
    out.all.push_back(s);
  }
  return out;
}

workload_timing timing_of(const std::string& name, const series& s, const interval& i) {
  return {name,       std::exp(i.estimate),      std::exp(i.low),          std::exp(i.high),
          s.held_out, median_of(s.candidate_ns), median_of(s.reference_ns)};
}

} // namespace

comparison compare(std::span<const launch_samples> samples, const problem& what, measure_plan kind,
                   double aa_width, double floor_ns, machine_noise noise) {
  comparison out;
  auto plan = plan_of(kind);
  auto found = by_workload(samples, what, plan.held_out);
  if (found.empty())
    return out;
  out.valid = true;
  auto& sum = out.summary;
  auto [all, mean, shortest] = searched_of(found);
  for (const auto& s : all)
    sum.pairs += static_cast<std::int64_t>(s.candidate_ns.size());
  std::size_t launches = all.front().launches.size();
  const look* reached = reached_of(plan, launches);
  bool early = !reached && plan.futile_below > 0, few = kind == measure_plan::rank || launches < 3;
  double alpha = reached ? reached->alpha : early ? 0.005 : 0.05;
  auto whole = whole_interval(all, alpha, few);
  bool foretells = kind != measure_plan::claim;
  double half = foretells ? prediction_half_width(launch_estimates(all), noise.spread) : 0;
  // At the looks' own levels an interval of few launches is wide: those are for decisions.
  auto shown = half > 0 && !few ? whole_interval(all, 0.05, few) : whole;
  summarize(with_prediction(shown, half), sum);
  sum.launches = static_cast<std::int64_t>(launches);
  sum.floor_ns = floor_ns;
  sum.aa_width = aa_width;
  sum.mean_speedup = std::exp(mean);
  sum.discarded = noise.discarded;
  summarize_first(all.front(), sum);
  for (const auto& [index, s] : found)
    sum.workloads.push_back(timing_of(what.workloads[index].name, s,
                                      few ? pooled_interval(s, alpha) : launch_interval(s, alpha)));
  out.too_short = shortest < floor_share * floor_ns;
  conclude(out, {std::exp(whole.low), std::exp(whole.high)}, plan, reached, early, noise.loud);
  return out;
}

double unit_share(double x) {
  return std::isfinite(x) ? std::clamp(x, 0.0, 1.0) : 0.0;
}

} // namespace ke
