#pragma once

#include "runtime/search/gene_landscape.hpp"

#include "runtime/core/settings.hpp"

#include <cstdint>
#include <vector>

namespace ke {

/// How many evaluations does the search need on a landscape? The tree core of a real campaign, asked by a
/// scripted model (gene_model.hpp), in virtual time: `in_flight` candidates at once (never more than the run
/// may evaluate), each of a random latency.
struct gene_run {
  std::uint64_t evaluations = 0; ///< every ended candidate counts, failed builds and repetitions too
  bool reached = false;          ///< the worth, without noise, of a candidate that was measured is >= target
  /// How far the best candidate has come, without noise: 0 the mean of random vectors (or worse), 1 the
  /// target.
  double progress = 0;
};

inline constexpr std::uint64_t most_gene_evaluations = 20'000; ///< where a run stops, and counts as that

/// One run. A measured vector that comes again is answered with its first measurement, as duplicates are in a
/// campaign; a failed build is of the attempt, not of the vector. `invalid`: a policy that cannot be had.
result<gene_run> run_genes(const gene_landscape& world, const search_settings& search, std::uint64_t seed,
                           std::uint32_t in_flight, std::uint64_t most = most_gene_evaluations);

struct gene_figures {
  double median_evaluations = 0;
  double median_progress = 0; ///< at the end of each run
  std::uint32_t reached = 0;
  std::uint32_t runs = 0;
  std::vector<std::uint64_t> evaluations; ///< by seed
};
/// A run for each seed of first..last.
result<gene_figures> run_seeds(const gene_landscape& world, const search_settings& search,
                               std::uint64_t first, std::uint64_t last, std::uint32_t in_flight,
                               std::uint64_t most = most_gene_evaluations);

} // namespace ke
