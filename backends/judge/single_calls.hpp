#pragma once

#include "backends/verdict/statistics.hpp"

#include <optional>
#include <vector>

namespace ke {

/// What calls that are alone in their orders take, of both sides of a launch. Who can see all inputs of an order may
/// answer its first call for all of them: no call of such an order is worth less than it is alone.
class single_calls {
public:
  /// Ns of one order of one call each.
  void add(double reference_ns, double candidate_ns) { saved_.push_back(reference_ns - candidate_ns); }
  /// How much faster than the baseline's a call of an order may be, ns; nothing where too little is known. An honest
  /// kernel saves alone what it saves in an order, and more where its host and its device take turns.
  std::optional<double> most_saved_ns() const;
  /// The median; 0 for none.
  double saved_ns() const { return median_of(saved_); }

private:
  std::vector<double> saved_;
};

/// Charges each of a launch's samples, ns a call, with what it saves beyond that.
void charge_beyond(const single_calls& alone, const std::vector<double>& reference_ns,
                   std::vector<double>& candidate_ns);

} // namespace ke
