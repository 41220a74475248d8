#pragma once

#include "interface/cli/campaign_view.hpp"
#include "runtime/core/verdict.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace ke::cli {

/// The correct kernel with the highest lower bound on one workload of one target, by the search's
/// measurements, which all kernels have. No dispatchers: they are put together from these.
struct shape_best {
  std::uint64_t id = 0; ///< public
  std::string backend, device;
  workload_timing timing; ///< the claim's, if it was measured again; else the search's
  bool claimed = false;   ///< `timing` is the claim's
};

/// For every workload not held out, tree by tree; empty if nothing was timed. Reads the verdicts of at most
/// `most_dispatchable` nodes per tree.
std::vector<shape_best> shape_bests_of(const campaign_view& c);

/// "big: node 7, 16.7x [16.5, 16.9]": a line for each, behind `indent`; "" with only one workload.
std::string shape_lines(const std::vector<shape_best>& bests, const std::string& indent);
nlohmann::ordered_json json_of(const std::vector<shape_best>& bests);

/// Which kernels a dispatcher uses: "dispatcher: node 1 for big, ..."; "" for other nodes.
std::string dispatcher_text(const campaign_view& c, const node_view& n);

} // namespace ke::cli
