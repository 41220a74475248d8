#pragma once

#include "runtime/core/result.hpp"
#include "runtime/search/lab/gene_search.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace ke::cli {

/// Options of `bench search`, as typed.
struct search_bench_options {
  std::string landscape; ///< path
  std::string policy = "mcts";
  std::string memory = "adaptive";
  std::string seeds = "1..30";
  std::uint32_t in_flight = 1;
  std::uint64_t evaluations = most_gene_evaluations; ///< a run stops here, and counts as this
  std::vector<std::string> set;                      ///< KEY=VALUE of [search]
};

struct search_bench_figures {
  std::string landscape; ///< its name
  double median_evaluations = 0;
  double median_progress = 0; ///< at the end of a run: 0 the mean random vector, 1 the target
  std::uint32_t reached = 0, runs = 0;
  std::vector<std::uint64_t> evaluations; ///< to the target, by seed
};

/// The figures of product.md; `invalid`, naming an option that is not understood.
result<search_bench_figures> bench_search(const search_bench_options& o);

} // namespace ke::cli
