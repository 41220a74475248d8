#pragma once

#include "actors/cli/campaign_view.hpp"
#include "actors/cli/trajectory_groups.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace ke::cli {

/// What all lines of a campaign have in common.
struct trajectory_origin {
  std::string store, campaign, problem, problem_digest, family, operator_name, split;
  std::uint32_t campaign_id = 0;
};
trajectory_origin origin_of(const campaign_view& campaign);
/// The columns that say where a line, of whatever form, is from.
void put_origin(nlohmann::ordered_json& line, const trajectory_origin& from);

/// The name of a node among those of all stores: STORE/CAMPAIGN/NODE.
std::string step_name(const trajectory_origin& from, std::uint64_t node);

/// Is this ended node a step, i.e. was there an answer that the model can be held to? Candidates that were
/// cancelled, lost with their workers or never answered say nothing about it.
bool is_step(const node_view& node);

/// One line, without its end, in the schema `ke-trajectory-step/1`. Failures: the store lacks a text.
result<std::string> step_line(const campaign_view& campaign, const trajectory_origin& from,
                              const node_view& node, const step_group& group);

} // namespace ke::cli
