#include "backends/judge/known_errors.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace ke {

namespace {

constexpr std::size_t enough = 64; ///< outputs whose largest is none by chance, as of sums that cancel

/// Of `known`, for sums so many times as long.
double grown(double known, double longer) {
  // Terms that cancel: their sum grows with the root of their number, and so do the roundings of it.
  return known * (longer > 1 ? longer : std::sqrt(longer));
}

/// The same for outputs so many times as large: whether terms cancel or not, an error grows beside its sum with the root of
/// their number. Twice that, as both were measured.
double grown_beside(double known, double longer, double larger) {
  return 2 * known * std::sqrt(std::max(longer, 1.0)) * larger;
}

} // namespace

void known_errors::note(const dims& of, std::size_t elements, double error, double reduction,
                        double largest) {
  auto& known = all_[of];
  known = {elements, std::max(known.error, error), reduction, std::max(known.largest, largest)};
}

double known_errors::of(std::size_t elements, double reduction, double largest) const {
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
  for (const auto& known : some) {
    if (apart(known) > nearest + alike)
      continue;
    double longer = reduction / known.reduction, here = grown(known.error, longer);
    if (elements >= enough && largest > 0 && known.largest > 0)
      here = std::min(here, grown_beside(known.error, longer, largest / known.largest));
    error = std::max(error, here);
  }
  return error;
}

} // namespace ke
