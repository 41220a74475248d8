#include "backends/judge/drivers/device_conditions.hpp"

#include "backends/device/cuda_api.hpp"
#include "backends/device/device_health.hpp"
#include "backends/device/judge_device.hpp"
#include "backends/evidence/device_report.hpp"
#include "backends/judge/sentinel.hpp"
#include "backends/judge/stopwatch.hpp"
#include "backends/verdict/quantiles.hpp"
#include "runtime/core/evidence.hpp"
#include "runtime/core/evidence_keys.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ke::on_device {
namespace {

/// A judge has one device, and one thread that speaks with it.
struct watch {
  device_health health;
  device_conditions before;
};
std::optional<watch> watched;
std::optional<int> number; ///< of that device

constexpr int looks = 6;

constexpr std::array<const char*, 4> parts_of_charges{"armed", "turns", "shift", "behind"};

result<judge_device*> watched_device() {
  return number ? judge_device::of(*number) : result<judge_device*>{failure{}};
}

/// The least, or the greatest, of a judgement's readings.
void enter(evidence& found, const char* key, double value,
           const double& (*of)(const double&, const double&)) {
  if (value <= 0) // it does not say
    return;
  auto [at, first] = found.counters.try_emplace(key, value);
  at->second = of(at->second, value);
}

void enter_quantiles(evidence& found, const std::string& name, const std::vector<double>& ns) {
  if (!ns.empty())
    for (auto [suffix, share] : {std::pair{".p50", 0.5}, std::pair{".p90", 0.9}, std::pair{".p99", 0.99}})
      found.counters[counter_keys::device_turn_us_of + name + suffix] = quantile_of(ns, share) * 1e-3;
}

std::string in_words(const evidence& found, std::uint64_t held_back) {
  std::string text;
  auto add = [&](const char* before, const char* key, const char* unit) {
    if (auto at = found.counters.find(key); at != found.counters.end())
      text +=
          (text.empty() ? "" : ", ") + std::string{before} + std::to_string(std::lround(at->second)) + unit;
  };
  add("", counter_keys::device_sm_mhz, " MHz");
  add("memory ", counter_keys::device_memory_mhz, " MHz");
  add("", counter_keys::device_celsius, " C");
  add("", counter_keys::device_watts, " W");
  if (auto why = held_back_text(held_back); !why.empty())
    text += "; held back by " + why;
  double charged = 0;
  for (const auto* part : parts_of_charges)
    if (auto at = found.counters.find(counter_keys::device_charged_us_of + std::string{part});
        at != found.counters.end())
      charged += at->second;
  if (charged >= 1) // us
    text +=
        "; " + std::to_string(std::lround(charged)) + " us an order charged for work outside of its clock";
  return text;
}

} // namespace

void watch_conditions(const nvidia_device& device) {
  number = device.number;
  const auto& cu = cuda::driver();
  auto health = device_health::of(device.uuid, cu ? cu->library : std::string{});
  if (!health)
    return;
  auto now = health->now();
  watched.emplace(watch{*health, now});
}

std::size_t free_memory() {
  auto device = watched_device();
  return device ? (*device)->free_bytes() : 0;
}

double joules() {
  return watched ? watched->health.joules() : 0;
}

std::map<std::string, double> sentinel(const std::vector<int>& cpus) {
  auto device = watched_device();
  if (!device)
    return {};
  double launch = std::numeric_limits<double>::infinity(), memory = launch;
  for (std::uint32_t look = 0; look < looks; ++look) {
    launch = std::min(launch, (*device)->fence());
    auto begun = steady::now();
    if (!(*device)->flush(look))
      return {};
    memory = std::min(memory, seconds_since(begun) * 1e9);
  }
  std::map<std::string, double> ns{{"launch", launch}, {"memory", memory}};
  const auto one = std::min<std::ptrdiff_t>(1, std::ssize(cpus));
  for (const auto& [name, of_host] : host_sentinel({cpus.begin(), cpus.begin() + one}))
    ns["host." + name] = of_host;
  return ns;
}

charges& charges_so_far() {
  static charges all; // a judge has one thread that measures
  return all;
}

status conditions(const judge_task&, evidence& found) {
  if (const auto& c = charges_so_far(); c.orders > 0)
    for (std::size_t i = 0; i < parts_of_charges.size(); ++i)
      found.counters[std::string{counter_keys::device_charged_us_of} + parts_of_charges[i]] =
          std::array{c.armed, c.turns, c.shift, c.behind}[i] * 1e-3 / static_cast<double>(c.orders);
  for (const auto& [who, seen] :
       {std::pair{"candidate", &charges_so_far().candidate}, std::pair{"others", &charges_so_far().others}}) {
    enter_quantiles(found, std::string{who} + ".fence", seen->fences);
    enter_quantiles(found, std::string{who} + ".primer", seen->primers);
  }
  if (!watched)
    return ok;
  auto now = watched->health.now();
  enter(found, counter_keys::device_sm_mhz, now.sm_mhz, std::min<double>);
  enter(found, counter_keys::device_memory_mhz, now.memory_mhz, std::min<double>);
  enter(found, counter_keys::device_celsius, now.celsius, std::max<double>);
  enter(found, counter_keys::device_watts, now.watts, std::max<double>);
  enter(found, counter_keys::device_corrected_errors, now.corrected_errors - watched->before.corrected_errors,
        std::max<double>);
  auto& bits = found.counters[counter_keys::device_held_back];
  auto held_back = static_cast<std::uint64_t>(bits) | now.held_back;
  bits = static_cast<double>(held_back);
  found.provenance[provenance_keys::device_state] = in_words(found, held_back);
  if (slowed_by_surroundings(held_back))
    found.counters[counter_keys::device_slowed] = 1;
  if (auto errors = now.uncorrected_errors - watched->before.uncorrected_errors; errors > 0)
    return failure{failure_kind::device,
                   "the device's memory erred and could not correct it (" +
                       std::to_string(std::lround(errors)) +
                       " times; nvidia-smi -q -d ECC): what was judged meanwhile can't be believed",
                   true};
  return ok;
}

} // namespace ke::on_device
