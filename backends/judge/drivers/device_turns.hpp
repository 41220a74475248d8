#pragma once

#include "backends/device/judge_device.hpp"
#include "backends/judge/drivers/driver_process.hpp"

#include <cstdint>
#include <vector>

namespace ke {

/// What empty kernels read, in ns, when nothing else is to do: of a device and a driver that takes turns with the
/// judge on it. A band is what 95 of 100 stay within, above the usual reading, and a margin.
struct turn_bands {
  double fence_ns = 0, fence_band_ns = 0; ///< the judge's, after a turn of the driver
  double least_primer_ns = 0;             ///< the driver's, after a turn of the judge: the shortest
  double still_ns = 0;                    ///< the judge's, after one of its own: nobody else ran
};

/// An order's fence and primer, ns, and its number among all orders of the judge.
struct turn_reading {
  double fence_ns = 0, primer_ns = 0;
  std::uint64_t number = 0;
};

/// What fences and primers of one process have read, in ns, over its orders of as many calls.
class turn_readings {
public:
  /// How much longer one fence is than the usual one, beyond what they differ by: of this process, or of orders of nothing
  /// where little is known. A fence that comes after gigabytes were touched is longer by some us.
  double fence_over_ns(double fence_ns, const turn_bands& bands) const;
  void add(const turn_reading& now);
  /// The last one; null: none.
  const turn_reading* last() const { return known_ ? &last_ : nullptr; }
  /// How much longer one primer is than this process's usual one, beyond what they differ by; 0 likewise.
  double primer_over_ns(double primer_ns) const;

private:
  bool known_ = false;
  turn_reading last_;
  std::vector<double> fences_, primers_; ///< the last ones
};

/// By how much fences and primers of one process are longer than those of the reference's orders right beside its own, of
/// as many calls: both drift together by tens of us.
class turn_shifts {
public:
  void add(const turn_reading& own, const turn_readings& of_reference);
  /// The usual one of both together, ns; 0 where that is no more than processes differ by, or little is known.
  double usual_ns() const;

private:
  std::vector<double> fences_, primers_; ///< the last ones
};

/// Measured by orders of nothing. The process is stopped when this returns. All zero: it did not answer.
/// A process with `foreign` host code could read anything then, so it gets those of the last one without.
turn_bands turn_bands_of(judge_device& device, driver_process& process, bool foreign);

/// Whether an empty kernel of the driver came back before the device can have run it. Never where turns cost next to
/// nothing.
bool is_no_turn(double primer_ns, const turn_bands& bands);

/// How much longer a fence was than one of a device that stands still, beyond what such fences differ by. 0: still.
double not_still_ns(double fence_ns, const turn_bands& bands);

/// Waits until nobody has work on the device: `ns` that this took since the first fence was too long; 0: it stood still
/// at once. `still` is false if it did not end within a second.
struct stillness {
  bool still = true;
  double ns = 0;
};
stillness wait_until_still(judge_device& device, const turn_bands& bands);

/// Whether nobody works there for some tens of milliseconds, once what a process that was just killed had begun is over.
bool stands_still(judge_device& device, const turn_bands& bands);

} // namespace ke
