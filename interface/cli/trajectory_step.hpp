#pragma once

#include "interface/cli/campaign_view.hpp"
#include "interface/cli/trajectory_groups.hpp"

#include <nlohmann/json_fwd.hpp>

#include <string>

namespace ke::cli {

/// Common to all lines of a campaign.
struct trajectory_origin {
  std::string store, campaign, problem, problem_digest, family, operator_name, split;
  std::uint32_t campaign_id = 0;
};
trajectory_origin origin_of(const campaign_view& campaign);
/// The columns for the origin of a line of any form.
void put_origin(nlohmann::ordered_json& line, const trajectory_origin& from);

/// The name of a node, unique among all stores: STORE/CAMPAIGN/NODE.
std::string step_name(const trajectory_origin& from, std::uint64_t node);

/// Whether this ended node is a step: the model answered. Candidates cancelled, lost with a worker or never
/// answered say nothing about the model.
bool is_step(const node_view& node);

/// One line, without its end, in the schema `ke-trajectory-step/1`. Fails: the store lacks a text.
result<std::string> step_line(const campaign_view& campaign, const trajectory_origin& from,
                              const node_view& node, const step_group& group);

} // namespace ke::cli
