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

/// What such a file holds now; empty: it is not there.
std::string kernel_text(const std::string& path);
/// CPU seconds of this process, the judge, so far.
double judge_seconds();

/// Clocks of a device and its processors.
struct clock_reading {
  std::uint64_t throttled = 0; ///< events so far; 0 where the machine does not count them
  double mhz = 0;              ///< the fastest now; 0: unknown
};

/// Everybody's work so far.
struct others_reading {
  cpu_ticks ticks;
  double load = 0; ///< runnable processes, one minute
};

/// Those of this host's processors.
clock_reading host_clocks(const std::vector<int>& cpus);
others_reading host_others(const std::vector<int>& cpus);

/// How loud the machine was while samples were taken (trust.md 2.5): facts for the record, and whether a
/// decision needs a wider margin. Never looks at a sample's time, nor at anything that a candidate can move:
/// else one that yields its processor could choose which calls count. One thread.
class noise_gate {
public:
  using clocks_of = clock_reading (*)(const std::vector<int>& cpus);
  using others_of = others_reading (*)(const std::vector<int>& cpus);
  /// The driver's readings for these processors (driver_seam).
  noise_gate(std::vector<int> cpus, clocks_of clocks, others_of others);

  /// Counts from now on, until `pause`: not while processes start, whose work nobody tells from others'.
  void resume();
  void pause();

  /// Whether the host took time away, or a processor was throttled, since the last call of this function. Ask
  /// once per pair; such a pair may be left out.
  bool disturbed();

  /// Facts of what was counted: gate.load (runnable processes, one minute), gate.others and gate.steal (share of the
  /// processors' time of others and of the host), gate.mhz, gate.throttled, gate.loud (0 or 1). `own_s`: CPU
  /// seconds of the measured processes meanwhile; this process's own are known.
  std::map<std::string, double> facts(double own_s) const;

private:
  std::vector<int> cpus_;
  clocks_of clocks_;
  others_of others_;
  bool counts_ = false;
  cpu_ticks since_, last_, counted_;
  std::uint64_t throttled_since_ = 0, throttled_ = 0, throttled_counted_ = 0;
  double judge_since_ = 0, judge_s_ = 0;
};

/// The gate's thresholds, as shares of the processors' time.
inline constexpr double loud_others = 0.25, loud_steal = 0.05;

} // namespace ke
