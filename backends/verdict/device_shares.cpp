#include "backends/verdict/device_shares.hpp"

#include "backends/verdict/statistics.hpp"
#include "runtime/core/evidence_keys.hpp"

#include <algorithm>
#include <string_view>

namespace ke {
namespace {

constexpr double idle_unit = 0.2, busy_unit = 0.8; ///< a unit this busy says nothing, or all
constexpr double much = 0.4;                       ///< of the warps' time: a reason that counts
constexpr double launch_ns = 3e3;                  ///< a kernel shorter than this mostly starts and ends
constexpr double most_gap = 0.35;                  ///< of the call between kernels
constexpr double least_used = 0.6;                 ///< of the bytes that are moved
constexpr double least_possible = 0.55;            ///< of the warps that a multiprocessor holds
constexpr double least_balance = 0.8;
constexpr double least_filled = 0.6;
constexpr double most_atomics = 0.3;
constexpr double most_conflicts = 0.5;
constexpr double main_memory_bound = 0.75;

class reading {
public:
  explicit reading(const std::map<std::string, double>& counters) : counters_{counters} {}

  std::vector<device_share> all(double call_ns) && {
    busy_ = std::max({role("memory"), role("cache"), role("compute"), role("tensor")});
    units();
    atomics();
    waits();
    fit();
    spread();
    launches(call_ns);
    return std::move(shares_);
  }

private:
  double of(const std::string& name, double otherwise = 0) const {
    auto at = counters_.find(counter_keys::kernels_of + name);
    return at == counters_.end() ? otherwise : at->second;
  }
  double role(const char* name) const {
    auto at = counters_.find(std::string{counter_keys::role_of} + name);
    return at == counters_.end() ? 0 : at->second;
  }
  /// A unit at its limit is the reason, whatever warps wait for.
  double headroom() const { return unit_share(1 - busy_); }
  double waiting(const char* why) const { return of(std::string{"waits."} + why); }
  void add(const char* bottleneck, double share, const char* cause) {
    shares_.push_back({bottleneck, unit_share(share), cause});
  }

  static double said_by(double busy) { return (busy - idle_unit) / (busy_unit - idle_unit); }

  void units() {
    add("memory", said_by(std::max(role("memory"), role("cache"))), memory_cause());
    bool special = of("special") > 0.8 * role("compute");
    add("compute", said_by(role("compute")), special ? "special_functions" : "fma_units");
    add("compute", said_by(role("tensor")), "tensor_cores");
  }

  const char* memory_cause() const {
    if (of("conflicts") > most_conflicts && role("cache") > role("memory"))
      return "bank_conflicts";
    for (const char* used : {"used_of_loads", "used_of_stores"}) // 0: there are none
      if (double share = of(used); share > 0 && share < least_used)
        return "uncoalesced";
    // All that main memory moves goes through the last-level cache, which is as busy.
    return role("memory") >= main_memory_bound * role("cache") ? "bandwidth" : "cache_bandwidth";
  }

  /// They queue at a few places of the last-level cache, which is otherwise hardly busy.
  void atomics() {
    if (of("atomics") > most_atomics && waiting("loads") + waiting("queue") + waiting("shared") > much)
      add("memory", 0.5 + headroom() * of("atomics"), "atomics");
  }

  void waits() {
    double issued = waiting("issue");
    double results = waiting("results") / std::max(1 - issued, 0.1);
    if (results > much)
      add("latency", headroom() * (0.3 + results) * unit_share(1.5 * (1 - of("issue"))), "dependency_chain");
    if (waiting("sync") > 0.3) // some units are at work for the barriers themselves
      add("latency", unit_share(2 * headroom()) * (0.5 + waiting("sync")), "sync");
    if (waiting("code") > much)
      add("frontend", headroom() * (0.3 + waiting("code")), "code_size");
    if (waiting("loads") > much)
      add("latency", headroom() * (0.2 + 0.7 * waiting("loads")), "dependent_loads");
  }

  /// Warps that could hide what the others wait for don't fit.
  void fit() {
    double possible = of("warps_possible", 1);
    if (possible > least_possible || headroom() < 0.3)
      return;
    const char* cause = of("limited_by_registers") > 0 ? "registers"
                        : of("limited_by_shared") > 0  ? "shared_memory"
                                                       : "block_size";
    double hidden = waiting("loads") + waiting("results") + waiting("shared");
    add("occupancy", headroom() * (0.5 + (1 - possible) * unit_share(hidden)), cause);
  }

  /// Multiprocessors that have nothing to do while others work.
  void spread() {
    double balance = of("balance", 1), filled = of("filled", 1);
    if (balance < least_balance)
      add("occupancy", 0.5 + (1 - balance), of("waves", 1) < 1 ? "few_blocks" : "tail");
    else if (filled < least_filled)
      add("occupancy", 0.4 + (1 - filled) * headroom(), "few_blocks");
  }

  void launches(double call_ns) {
    double count = of("count"), ns = of("ns");
    double gaps = call_ns > 0 && count > 1 ? unit_share(1 - ns / call_ns) : 0;
    if (ns < launch_ns * count)
      add("overhead", 0.95, "launch");
    else if (gaps > most_gap)
      add("overhead", 0.4 + gaps, "launch");
  }

  const std::map<std::string, double>& counters_;
  double busy_ = 0;
  std::vector<device_share> shares_;
};

} // namespace

std::vector<device_share> device_shares(const std::map<std::string, double>& counters, double call_ns) {
  if (!counters.contains(counter_keys::kernels_count))
    return {};
  return reading{counters}.all(call_ns);
}

} // namespace ke
