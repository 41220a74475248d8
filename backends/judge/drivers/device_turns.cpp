#include "backends/judge/drivers/device_turns.hpp"

#include "backends/judge/stopwatch.hpp"
#include "backends/verdict/quantiles.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <utility>
#include <vector>

namespace ke {
namespace {

constexpr double primer_limit_s = 10; ///< a device that others use, a first launch
constexpr int calibrations = 40;
constexpr double fence_margin_ns = 2000, foreign_fence_margin_ns = 5000; ///< processes differ by 2 us
/// A thawed process takes its turn late by some tens of us, more or less: 95 of 100 within 25 us of the usual.
constexpr double primer_margin_ns = 60e3, least_primer_shift_ns = 10e3;
constexpr double still_margin_ns = 40e3; ///< of 5,400 fences on a device that stood still the worst was 52 us
constexpr double most_drift_ns = 40e3; ///< of fences behind large orders: more is no band but somebody's work
constexpr double longest_wait_s = 1;
constexpr double least_turn_ns = 50e3;  ///< of a device that changes contexts; one of host memory does not
constexpr double least_shift_ns = 2000; ///< processes that do the same differ by so much
constexpr double usual_share = 0.95;
constexpr std::size_t least_readings = 5, most_readings = 33;

/// The middle, and what 95 of 100 stay within above it.
double usual_of(std::vector<double>& all, double& band) {
  std::sort(all.begin(), all.end());
  band = all[all.size() * 19 / 20] - all[all.size() / 2];
  return all[all.size() / 2];
}

void keep(std::vector<double>& last, double ns) {
  if (last.size() == most_readings)
    last.erase(last.begin());
  last.push_back(ns);
}

turn_bands measured(judge_device& device, driver_process& process) {
  std::vector<double> fences, primers, still;
  for (int i = 0; i < calibrations; ++i) {
    auto primed = process.ask(wire::device_request::prime, primer_limit_s);
    if (primed.end != call_end::done)
      return {};
    primers.push_back(primed.ns);
    fences.push_back(device.fence());
    still.push_back(device.fence());
  }
  turn_bands bands;
  double unused = 0;
  bands.fence_ns = usual_of(fences, bands.fence_band_ns);
  bands.least_primer_ns = *std::min_element(primers.begin(), primers.end());
  bands.still_ns = usual_of(still, unused);
  bands.fence_band_ns += fence_margin_ns;
  call_outcome nothing;
  process.close(nothing);
  return bands;
}

} // namespace

void turn_readings::add(const turn_reading& now) {
  known_ = true;
  last_ = now;
  keep(fences_, now.fence_ns);
  keep(primers_, now.primer_ns);
}

void turn_shifts::add(const turn_reading& own, const turn_readings& of_reference) {
  constexpr std::uint64_t beside = 2; // of two pairs whose first orders are the process's own
  const auto* other = of_reference.last();
  if (!other || own.number - other->number > beside)
    return;
  keep(fences_, own.fence_ns - other->fence_ns);
  keep(primers_, own.primer_ns - other->primer_ns);
}

double turn_shifts::usual_ns() const {
  if (fences_.size() < least_readings)
    return 0;
  double fence = median_of(fences_), primer = median_of(primers_);
  return (fence > least_shift_ns ? fence : 0) + (primer > least_primer_shift_ns ? primer : 0);
}

double turn_readings::fence_over_ns(double fence_ns, const turn_bands& bands) const {
  double usual = bands.fence_ns, most = usual + bands.fence_band_ns;
  if (fences_.size() >= least_readings) {
    usual = std::clamp(median_of(fences_), usual, usual + most_drift_ns);
    most = std::max(most, std::min(quantile_of(fences_, usual_share), usual + most_drift_ns) +
                              foreign_fence_margin_ns);
  }
  return fence_ns > most ? fence_ns - usual : 0;
}

double turn_readings::primer_over_ns(double primer_ns) const {
  if (primers_.size() < least_readings)
    return 0;
  // Where this process itself is late now and then, nobody else is to blame for being so.
  double usual = median_of(primers_), late = quantile_of(primers_, usual_share);
  double over = primer_ns - std::max(late, usual + primer_margin_ns);
  return std::max(over, 0.0);
}

turn_bands turn_bands_of(judge_device& device, driver_process& process, bool foreign) {
  static std::map<int, turn_bands> known; // by device: the judge is one thread
  if (auto of_device = known.find(device.number()); foreign && of_device != known.end()) {
    auto bands = of_device->second;
    bands.fence_band_ns += foreign_fence_margin_ns - fence_margin_ns;
    return bands;
  }
  auto bands = measured(device, process);
  if (!foreign)
    known[device.number()] = bands;
  return bands;
}

bool is_no_turn(double primer_ns, const turn_bands& bands) {
  return bands.least_primer_ns > least_turn_ns && primer_ns < bands.least_primer_ns / 2;
}

double not_still_ns(double fence_ns, const turn_bands& bands) {
  double over = fence_ns - bands.still_ns;
  return bands.still_ns > 0 && over > still_margin_ns ? over : 0;
}

bool stands_still(judge_device& device, const turn_bands& bands) {
  constexpr double most_s = 1, quiet_s = 0.05; // a killed process's kernel ends within 0.1 s
  auto quiet_since = steady::now();
  for (auto begun = steady::now(); seconds_since(begun) < most_s;) {
    if (not_still_ns(device.fence(), bands) > 0)
      quiet_since = steady::now();
    if (seconds_since(quiet_since) > quiet_s)
      return true;
  }
  return false;
}

stillness wait_until_still(judge_device& device, const turn_bands& bands) {
  stillness seen;
  for (auto begun = steady::now(); not_still_ns(device.fence(), bands) > 0;) {
    seen.ns = seconds_since(begun) * 1e9;
    if (seen.ns > longest_wait_s * 1e9) {
      seen.still = false;
      break;
    }
  }
  return seen;
}

} // namespace ke
