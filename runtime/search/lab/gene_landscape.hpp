#pragma once

#include "runtime/core/result.hpp"

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ke {

/// A problem that has nothing to do with kernels, for measuring the search. A candidate is a vector of genes;
/// its worth is the sum of a term per gene and a term per listed pair of genes. Read from a JSON file:
///   {"name", "genes": G, "values": V, "additive": G lists of V numbers,
///    "pairwise": [{"i", "j", "table": V lists of V numbers, by the value of i, then of j}],
///    "success_probability", "noise", "target"}
/// Absent: name empty, pairwise none, success_probability 1, noise 0. Two terms of one pair of genes add up.
/// Terms, noise (a standard deviation) and target are in the same unit.
struct gene_landscape {
  struct pair {
    std::uint32_t i = 0, j = 0;
    std::vector<double> table; ///< values * values
  };
  std::string name;
  std::uint32_t genes = 0;
  std::uint32_t values = 0;
  std::vector<double> additive; ///< genes * values
  std::vector<pair> pairwise;
  double success_probability = 1;
  double noise = 0;
  double target = 0;

  /// `invalid` if the text is no such landscape: names the place ("pairwise[3].i") and what is expected
  /// there. Refuses a repeated key and one that looks like a missing key misspelt; other keys are the file's
  /// own.
  static result<gene_landscape> parse(std::string_view json);

  /// Without noise. `vector` has `genes` values.
  double worth(const std::uint8_t* vector) const;

  /// Mean and standard deviation of the worth of random vectors, exact.
  double mean() const;
  double deviation() const;
};

} // namespace ke
