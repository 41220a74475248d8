#pragma once

#include "backends/verdict/statistics.hpp"

#include <optional>
#include <vector>

namespace ke {

/// What calls that are alone in their orders take, of both sides of a launch. Who can see all inputs of an order may
/// answer its first call for all of them, or its last: no call of such an order is worth less than it is alone.
class single_calls {
public:
  /// Ns of one order of one call each.
  void add(double reference_ns, double candidate_ns) { saved_.push_back(reference_ns - candidate_ns); }
  /// How much faster than the baseline's a call of an order may be, ns; nothing where too little is known.
  std::optional<double> most_saved_ns() const;
  /// The median; 0 for none.
  double saved_ns() const { return median_of(saved_); }

private:
  std::vector<double> saved_;
};

/// Of one workload in a launch.
struct calls_alone_of {
  single_calls as_timed; ///< launched as its orders are
  single_calls replayed; ///< by a graph, where orders are not: the device's work alone
};

/// What a call of an order may save at most, by whichever of the two allows more. A call among others takes the longer of
/// its host's and its device's time, so an honest kernel saves in an order no more than it saves of the one or of the other.
std::optional<double> most_saved_ns(const calls_alone_of& alone);

/// Charges each of a launch's samples, ns a call, with what it saves beyond `most`.
void charge_beyond(std::optional<double> most, const std::vector<double>& reference_ns,
                   std::vector<double>& candidate_ns);

} // namespace ke
