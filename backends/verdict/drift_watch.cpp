#include "backends/verdict/drift_watch.hpp"

#include "backends/verdict/quantiles.hpp"
#include "runtime/core/evidence.hpp"
#include "runtime/core/evidence_keys.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <utility>

namespace ke {
namespace {

constexpr std::size_t most_kept = 32, least_kept = 4; ///< readings of a kernel
constexpr std::size_t patience = 3;                   ///< measurements
/// Two states of a calm machine lie a sixth apart: the clock of all cores and of few.
const double narrowest = std::log(1.25);
constexpr double distances = 4; ///< median distances from the median
constexpr double spare_thread = 0.5;

double middle(const std::deque<double>& all) {
  return median_of({all.begin(), all.end()});
}

double half_width(const std::deque<double>& all) {
  return std::max(narrowest, distances * median_distance({all.begin(), all.end()}));
}

/// Threads of a kernel, by its name: "memory.2" has two.
double threads_of(std::string_view kernel) {
  auto dot = kernel.rfind('.');
  int threads = 0;
  auto digits = dot == kernel.npos ? std::string_view{} : kernel.substr(dot + 1);
  std::from_chars(digits.data(), digits.data() + digits.size(), threads);
  return threads;
}

std::string in_words(const std::string& kernel, double log_ratio) {
  auto percent = std::lround(100 * (std::exp(std::fabs(log_ratio)) - 1));
  return kernel + " " + std::to_string(percent) + (log_ratio > 0 ? "% slower" : "% faster") + " than it was";
}

} // namespace

drift_watch::readings drift_watch::readings_of(const evidence& found) {
  readings all;
  auto busy = found.counters.find(counter_keys::cores_busy);
  for (const std::string when : {counter_keys::sentinel_before_of, counter_keys::sentinel_after_of})
    for (auto at = found.counters.lower_bound(when);
         at != found.counters.end() && at->first.starts_with(when); ++at) {
      auto kernel = at->first.substr(when.size());
      bool used =
          busy == found.counters.end() || threads_of(kernel) <= std::max(1.0, busy->second + spare_thread);
      if (used && std::isfinite(at->second) && at->second > 0)
        all[kernel].push_back(std::log(at->second));
    }
  return all;
}

double drift_watch::beyond(const std::string& kernel, double log_ns) const {
  auto known = accepted_.find(kernel);
  if (known == accepted_.end() || known->second.size() < least_kept)
    return 0;
  double off = log_ns - middle(known->second);
  return std::fabs(off) > half_width(known->second) ? off : 0;
}

void drift_watch::accept(const readings& of) {
  for (const auto& [kernel, times] : of) {
    auto& kept = accepted_[kernel];
    kept.insert(kept.end(), times.begin(), times.end());
    while (kept.size() > most_kept)
      kept.pop_front();
  }
}

bool drift_watch::is_new_state() const {
  if (off_.size() < patience)
    return false;
  std::map<std::string, std::deque<double>> together;
  for (const auto& one : off_)
    for (const auto& [kernel, times] : one)
      together[kernel].insert(together[kernel].end(), times.begin(), times.end());
  return std::all_of(together.begin(), together.end(), [](const auto& kernel) {
    const auto& times = kernel.second;
    auto [least, most] = std::minmax_element(times.begin(), times.end());
    return *most - *least <= 2 * narrowest;
  });
}

std::string drift_watch::note(const evidence& found) {
  auto now = readings_of(found);
  std::string why;
  double worst = 0;
  for (const auto& [kernel, times] : now)
    for (double t : times)
      if (double off = beyond(kernel, t); std::fabs(off) > std::fabs(worst)) {
        worst = off;
        why = in_words(kernel, off);
      }
  if (why.empty()) {
    off_.clear();
    accept(now);
    return {};
  }
  off_.push_back(std::move(now));
  if (off_.size() > patience)
    off_.pop_front();
  if (!is_new_state())
    return why;
  accepted_.clear();
  for (const auto& one : std::exchange(off_, {}))
    accept(one);
  return {};
}

} // namespace ke
