#pragma once

#include "runtime/core/result.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace ke::cli {

/// What `bench search` is asked for, as it was typed.
struct search_bench_options {
  std::string landscape; ///< path
  std::string policy = "mcts";
  std::string memory = "adaptive";
  std::string seeds = "1..30";
  std::uint32_t in_flight = 1;
  std::vector<std::string> set; ///< KEY=VALUE of [search]
};

/// The figures of product.md; `invalid`, naming the option, for anything that is not understood.
result<nlohmann::ordered_json> bench_search(const search_bench_options& o);

} // namespace ke::cli
