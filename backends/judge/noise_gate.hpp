#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ke {

/// The kernel's counts for some processors, in ticks.
struct cpu_ticks {
  std::uint64_t busy = 0;   ///< user, nice, system, interrupts
  std::uint64_t stolen = 0; ///< the host gave the time to another guest
  std::uint64_t total = 0;
};

/// Sums the lines of `cpus` in the text of /proc/stat; all processors if `cpus` is empty. Pure.
cpu_ticks parse_cpu_ticks(std::string_view proc_stat, const std::vector<int>& cpus);

/// How loud the machine was while samples were taken (trust.md 2.5): facts for the record, and whether a
/// decision needs a wider margin. Never looks at a sample's time, nor at anything that a candidate can move:
/// else one that yields its processor could choose which calls count. One thread.
class noise_gate {
public:
  explicit noise_gate(std::vector<int> cpus);

  /// From now on.
  void begin();

  /// Whether the host took time away, or a processor was throttled, since the last call of this function. Ask
  /// once per pair; such a pair may be left out.
  bool disturbed();

  /// Facts so far: gate.load (runnable processes, one minute), gate.others and gate.steal (share of the
  /// processors' time of others and of the host), gate.mhz, gate.throttled, gate.loud (0 or 1). `own_s`: CPU
  /// seconds of this measurement.
  std::map<std::string, double> facts(double own_s) const;

private:
  std::vector<int> cpus_;
  cpu_ticks at_begin_, last_;
  std::uint64_t throttled_at_begin_ = 0, throttled_ = 0;
  double judge_s_ = 0;
};

/// The gate's thresholds, as shares of the processors' time.
inline constexpr double loud_others = 0.25, loud_steal = 0.05;

} // namespace ke
