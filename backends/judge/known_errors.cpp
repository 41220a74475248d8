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
  const double alike = std::log(2);
  auto apart = [&](const one& known) { return std::fabs(std::log(reduction / known.reduction)); };
  std::vector<one> some;
  double nearest = std::numeric_limits<double>::infinity();
  for (const auto& [dims, known] : all_)
    if (known.elements > elements && (known.reduction > 1 || reduction <= 1)) {
      some.push_back(known);
      nearest = std::min(nearest, apart(known));
    }
  double error = 0;
  for (const auto& known : some)
    if (double longer = reduction / known.reduction; apart(known) <= nearest + alike)
      // Terms that cancel: their sum grows with the root of their number, and so do the roundings of it.
      error = std::max(error, known.error * (longer > 1 ? longer : std::sqrt(longer)));
  return error;
}

} // namespace ke
