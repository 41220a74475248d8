#include "interface/cli/trajectories.hpp"

#include "interface/cli/trajectory_step.hpp"
#include "interface/cli/trajectory_text.hpp"
#include "runtime/core/node_key.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/text/json_line.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <deque>
#include <ostream>

namespace ke::cli {
namespace {

using json = nlohmann::ordered_json;

/// Visits the campaign's steps in order of their ids and counts what is not yet one.
status each_step(const campaign_view& c, std::uint64_t since, trajectory_counts& counts,
                 const std::function<bool(const node_view&)>& visit) {
  return c.each(since, [&](const node_view& n) {
    // By the folded journal, not by a row that is newer: all lines, and the groups, are of one moment.
    if (is_open(c.fold().trees()[n.key.tree].tree()[n.key.node].state)) {
      if (counts.open++ == 0)
        counts.first_open = n.id;
      return true;
    }
    return !is_step(n) || visit(n);
  });
}

status write_steps(const campaign_view& c, const trajectory_options& o, const trajectory_origin& from,
                   trajectory_counts& counts, std::ostream& out) {
  std::deque<step_groups> groups;
  for (const auto& core : c.fold().trees())
    groups.emplace_back(core.tree(), [&c, tree = core.number()](std::uint32_t node) {
      auto n = c.node(node_key{c.id(), tree, node});
      return n && is_step(*n);
    });
  status wrong = ok;
  auto read = each_step(c, o.since, counts, [&](const node_view& n) {
    auto line = step_line(c, from, n, groups[n.key.tree].of(n.key.node));
    if (!line) {
      wrong = line.error();
      return false;
    }
    out << *line << '\n';
    ++counts.written;
    return static_cast<bool>(out);
  });
  return wrong ? read : wrong;
}

/// What is known of the way from the root to a node.
struct way {
  bool step = false, rewarded = false, continued = false;
  double reward = 0; ///< of the node itself
  std::uint64_t input_tokens = 0, output_tokens = 0;
  double usd = 0, device_s = 0; ///< these: of the whole way
};

/// The way from the root to a leaf, as one record.
json chain_to(std::uint32_t leaf, const campaign_view& c, const trajectory_origin& from,
              const search_tree& core, const std::vector<way>& ways) {
  const auto& tree = core.tree();
  std::vector<std::uint32_t> nodes;
  for (auto n = leaf; n != 0 && n != no_node; n = tree[n].parent)
    nodes.push_back(n);
  std::reverse(nodes.begin(), nodes.end());
  auto steps = json::array(), states = json::array(), operations = json::array(), rewarded = json::array(),
       rewards = json::array();
  double best = 0;
  auto best_step = nodes.front();
  auto any = false;
  for (auto n : nodes) {
    steps.push_back(step_name(from, c.public_id(core.number(), n)));
    states.push_back(to_text(tree[n].state));
    operations.push_back(to_text(tree[n].operation));
    rewarded.push_back(ways[n].rewarded);
    rewards.push_back(ways[n].reward);
    any = any || ways[n].rewarded;
    if (ways[n].rewarded && ways[n].reward > best) {
      best = ways[n].reward;
      best_step = n;
    }
  }
  json j;
  j["schema"] = chain_schema;
  j["chain"] = step_name(from, c.public_id(core.number(), leaf));
  put_origin(j, from);
  j["backend"] = core.backend();
  j["length"] = nodes.size();
  j["steps"] = steps;
  j["states"] = states;
  j["operations"] = operations;
  j["step_rewarded"] = rewarded;
  j["rewards"] = rewards;
  j["rewarded"] = any;
  j["return"] = best;
  j["best_step"] = step_name(from, c.public_id(core.number(), best_step));
  return j;
}

status write_chains_of(const campaign_view& c, const trajectory_origin& from, const search_tree& core,
                       const std::vector<way>& ways, trajectory_counts& counts, std::ostream& out) {
  for (std::uint32_t leaf = 1; leaf < core.tree().size() && out; ++leaf) {
    const auto& w = ways[leaf];
    if (!w.step || w.continued)
      continue;
    auto j = chain_to(leaf, c, from, core, ways);
    j["input_tokens"] = w.input_tokens;
    j["output_tokens"] = w.output_tokens;
    j["usd"] = w.usd;
    j["device_s"] = w.device_s;
    out << json_line(j) << '\n';
    ++counts.written;
  }
  return ok;
}

status write_chains(const campaign_view& c, const trajectory_origin& from, trajectory_counts& counts,
                    std::ostream& out) {
  std::vector<std::vector<way>> ways;
  for (const auto& core : c.fold().trees())
    ways.emplace_back(core.tree().size());
  auto read = each_step(c, 0, counts, [&](const node_view& n) {
    const auto& row = c.fold().trees()[n.key.tree].tree()[n.key.node];
    auto& all = ways[n.key.tree];
    auto& w = all[n.key.node];
    auto& up = all[row.parent];
    auto reward = reward_in_tree(row);
    up.continued = true;
    w = {true,
         reward.has_value(),
         false,
         reward.value_or(0),
         up.input_tokens + n.row.usage.input_tokens,
         up.output_tokens + n.row.usage.output_tokens,
         up.usd + n.row.usage.usd,
         up.device_s + n.row.device_s};
    return true;
  });
  if (!read)
    return read;
  for (const auto& core : c.fold().trees())
    if (auto done = write_chains_of(c, from, core, ways[core.number()], counts, out); !done)
      return done;
  return ok;
}

} // namespace

result<trajectory_counts> write_trajectories(const campaign_view& c, const trajectory_options& o,
                                             std::ostream& out) {
  trajectory_counts counts;
  know_secrets(c.settings());
  auto from = origin_of(c);
  if (o.split != trajectory_split::all && (o.split == trajectory_split::test) != (from.split == "test"))
    return counts;
  auto done = o.form == trajectory_form::steps ? write_steps(c, o, from, counts, out)
                                               : write_chains(c, from, counts, out);
  if (!done)
    return done.error();
  return counts;
}

} // namespace ke::cli
