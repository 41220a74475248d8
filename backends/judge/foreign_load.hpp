#pragma once

#include <chrono>
#include <cstddef>
#include <string_view>

namespace ke {

/// CPU seconds that all processors of this machine have worked since it started, by the finest account that it keeps:
/// the root of its control groups (to some milliseconds; believed if it agrees with /proc/stat, for a container shows
/// its own as the root), else /proc/stat (to 10 ms a processor). 0: it tells nobody.
double machine_seconds();

/// The text of a cgroup v2 cpu.stat: seconds; 0: it does not say. Pure.
double seconds_in_cpu_stat(std::string_view text);

/// How many processors others keep busy while something is measured. All work that is not told as the measurement's
/// own counts as theirs, so a candidate can only look worse by it. One thread.
class foreign_load {
public:
  /// `measured`: processors that the measurement may use; the others of this machine are no loss to it.
  explicit foreign_load(std::size_t measured);

  /// From now on. `own_s`: CPU seconds of the measured processes so far; this process's own are known.
  void begin(double own_s);
  /// Processors that others kept busy since; 0 where the machine does not tell.
  double seen(double own_s) const;
  bool is_calm(double seen) const { return seen <= allowed_; }

  /// Sleeps until others have been calm for a moment, at most so long. Seconds of that. Nothing that is measured may
  /// run.
  double wait_for_calm(double limit_s) const;

private:
  double allowed_ = 0, machine_s_ = 0, judge_s_ = 0, own_s_ = 0;
  std::chrono::steady_clock::time_point begun_;
};

} // namespace ke
