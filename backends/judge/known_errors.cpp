#include "backends/judge/known_errors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ke {

void known_errors::note(const dims& of, std::size_t elements, double error, double reduction) {
  auto& known = all_[of];
  known = {elements, std::max(known.error, error), reduction};
}

double known_errors::of(std::size_t elements, double reduction) const {
  double error = 0, nearest = std::numeric_limits<double>::infinity();
  for (const auto& [dims, known] : all_) {
    double longer = reduction / known.reduction, far = std::fabs(std::log(longer));
    if (known.elements <= elements || (known.reduction <= 1 && reduction > 1) || far >= nearest)
      continue;
    nearest = far;
    // Terms that cancel: their sum grows with the root of their number, and so do the roundings of it.
    error = known.error * (longer > 1 ? longer : std::sqrt(longer));
  }
  return error;
}

} // namespace ke
