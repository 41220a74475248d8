#pragma once

#include "runtime/search/lab/gene_landscape.hpp"

#include "runtime/core/settings.hpp"

#include <cstdint>
#include <vector>

namespace ke {

/// How many evaluations does the search need on a landscape? Runs a real search tree against a scripted model
/// (gene_model.hpp) in virtual time. `in_flight` candidates of random latency are out at once, but never more
/// than the run may still evaluate.
struct gene_run {
  std::uint64_t evaluations = 0; ///< every ended candidate, failed builds and repetitions too
  bool reached = false;          ///< a measured candidate's worth, without noise, is >= target
  /// Progress of the best candidate, without noise: 0 the mean of random vectors (or worse), 1 the target.
  double progress = 0;
};

inline constexpr std::uint64_t most_gene_evaluations = 20'000; ///< a run stops here, and counts as this

/// One run. A repeated vector gets its first measurement, as duplicates in a campaign do; a failed build is
/// of the attempt, not of the vector. `invalid`: there is no such policy.
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
