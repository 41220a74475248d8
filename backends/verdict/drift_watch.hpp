#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <string>
#include <vector>

namespace ke {

struct evidence;

/// One device's fixed kernels ("sentinels") through a search. Each measurement stands between two readings of them; where one
/// has left its band, the device was not the one on which others were measured. Pure; one thread.
///
/// A band is the median of the last readings that were accepted, in log ns, and as wide as these differ, a quarter at least.
/// A machine may change for good: once three measurements in a row are off and agree with each other, they are the band.
class drift_watch {
public:
  /// What left its band, in words for people; empty: nothing, and its readings count from now on. Kernels on more threads
  /// than the candidate used are no matter to it.
  std::string note(const evidence& found);

private:
  /// Of a kernel around one measurement, log ns: before, after.
  using readings = std::map<std::string, std::vector<double>>;
  static readings readings_of(const evidence& found);
  /// How a reading lies to its band; 0: inside, or the band is not known yet.
  double beyond(const std::string& kernel, double log_ns) const;
  void accept(const readings& of);
  bool is_new_state() const;

  std::map<std::string, std::deque<double>> accepted_;
  std::deque<readings> off_; ///< the last ones in a row that were not accepted
};

} // namespace ke
