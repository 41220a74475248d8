#pragma once

#include "runtime/core/verdict.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <tuple>

namespace ke {

/// Outcome of a second measurement, by another worker, of a score too high for one worker's word.
enum class opinion : std::uint8_t {
  first,     ///< confirmed; the first one claims less and counts
  second,    ///< claims less, or contradicts (wrong, late, refused, …): it counts
  undecided, ///< noisy, or its evaluation failed: says nothing about the candidate
};

/// Of two verdicts the one that claims less counts. `first` is correct and has a score.
opinion weigh(const verdict& first, const verdict& second);

/// Which scores another worker has to confirm: those far above every score that stands so far.
class beliefs {
public:
  /// Campaign, backend, device pattern: scores are compared within a place.
  using place = std::tuple<std::uint32_t, std::string, std::string>;

  static constexpr double beyond_factor = 3; ///< of the best that stands, or of the reference

  bool beyond(const place& where, double score) const;
  /// The highest of a candidate that stands; 0: none does.
  double highest(const place& where) const;
  void stands(const place& where, double score);

private:
  std::map<place, double> best_, highest_; ///< with and without the reference
};

} // namespace ke
