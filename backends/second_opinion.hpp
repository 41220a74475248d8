#pragma once

#include "runtime/core/types.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <tuple>

namespace ke {

/// What a measurement by another worker makes of a score that nobody takes on one worker's word.
enum class opinion : std::uint8_t {
  first,     ///< confirmed, and the first one says less: it counts
  second,    ///< says less, or contradicts (wrong, late, refused, …): it counts
  undecided, ///< noisy, or its evaluation failed: says nothing about the candidate
};

/// Of two verdicts the one that claims less counts. `first` is correct and has a score.
opinion weigh(const verdict& first, const verdict& second);

/// Which scores have to be confirmed by another worker: those far above all that stand so far.
class beliefs {
public:
  /// Campaign, backend, device pattern: scores are compared within it.
  using place = std::tuple<std::uint32_t, std::string, std::string>;

  static constexpr double beyond_factor = 3; ///< of the best that stands, or of the reference

  bool beyond(const place& where, double score) const;
  void stands(const place& where, double score);

private:
  std::map<place, double> best_;
};

} // namespace ke
