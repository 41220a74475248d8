#pragma once

#include "actors/cli/campaign_view.hpp"
#include "runtime/core/verdict.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace ke::cli {

/// The right kernel whose interval begins highest on one workload of one target, by the search's
/// measurements, which all of them have. Dispatchers, which are put together from them, are left out.
struct shape_best {
  std::uint64_t id = 0; ///< public
  std::string backend, device;
  workload_timing timing; ///< the claim's where it was measured again, else the search's
  bool claimed = false;   ///< it is the claim's
};

/// Of every workload that is not held out, tree by tree; empty where nothing was timed. Reads the verdicts of
/// at most `most_dispatchable` nodes per tree.
std::vector<shape_best> shape_bests_of(const campaign_view& c);

/// "big: node 7, 16.7x [16.5, 16.9]": a line for each behind `indent`; "" of a problem with one workload.
std::string shape_lines(const std::vector<shape_best>& bests, const std::string& indent);
nlohmann::ordered_json json_of(const std::vector<shape_best>& bests);

/// Who computes which shapes, where a node is a dispatcher: "dispatcher: node 1 for big, ..."; else "".
std::string dispatcher_text(const campaign_view& c, const node_view& n);

} // namespace ke::cli
