#include "interface/cli/shape_bests.hpp"

#include "backends/verdict/dispatch_plan.hpp"
#include "interface/cli/figures.hpp"
#include "runtime/core/measure_plan.hpp"
#include "runtime/core/node_key.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/verdict_state.hpp"
#include "runtime/search/campaign/dispatchers.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <set>

namespace ke::cli {
namespace {

void add_target(std::vector<shape_best>& all, const campaign_view& c, const search_tree& tree,
                std::uint32_t target, std::size_t most) {
  std::vector<shape_contender> contenders;
  std::set<std::uint32_t> claimed;
  std::string device;
  for (auto node : dispatchable(tree.tree(), most)) {
    node_key key{c.id(), tree.number(), node};
    auto n = c.node(key);
    auto v = n ? c.verdict_of(*n, target) : std::nullopt;
    if (!v)
      continue;
    device = v->device;
    // Who was measured again is compared by that: the search's number flatters the best of many.
    auto again = c.claimed_verdict(key, target);
    if (again && again->state != verdict_state::correct && again->state != verdict_state::noisy)
      continue; // refuted
    auto contender = again ? contender_of(node, *again, measure_plan::claim) : std::nullopt;
    if (contender)
      claimed.insert(node);
    else
      contender = contender_of(node, *v, measure_plan::rank);
    if (contender)
      contenders.push_back(std::move(*contender));
  }
  for (auto& w : shape_winners(c.problem(), contenders))
    all.push_back({c.public_id({c.id(), tree.number(), w.node}), tree.backend(), device, std::move(w.timing),
                   claimed.contains(w.node)});
}

} // namespace

std::vector<shape_best> shape_bests_of(const campaign_view& c) {
  auto shown = std::count_if(c.problem().workloads.begin(), c.problem().workloads.end(),
                             [](const workload& w) { return !w.held_out; });
  std::vector<shape_best> all;
  for (const auto& tree : c.fold().trees())
    for (std::uint32_t t = 0; t < tree.tree().targets(); ++t)
      add_target(all, c, tree, t, shown > 1 || tree.tree().targets() > 1 ? most_dispatchable : 1);
  return all;
}

std::string shape_lines(const std::vector<shape_best>& bests, const std::string& indent) {
  std::string lines;
  auto several = std::any_of(bests.begin(), bests.end(),
                             [&](const shape_best& b) { return b.timing.name != bests.front().timing.name; });
  if (!several)
    return lines;
  for (const auto& b : bests)
    lines += indent + b.timing.name + ": node " + std::to_string(b.id) + ", " +
             speedup_text(b.timing.speedup, b.timing.low, b.timing.high) +
             (b.claimed ? ", measured again" : "") +
             (b.device == bests.front().device ? "" : ", on " + b.device) + "\n";
  return lines;
}

nlohmann::ordered_json json_of(const std::vector<shape_best>& bests) {
  auto list = nlohmann::ordered_json::array();
  for (const auto& b : bests)
    list.push_back({{"name", b.timing.name},
                    {"node", b.id},
                    {"speedup", b.timing.speedup},
                    {"ci95", {b.timing.low, b.timing.high}},
                    {"claim", b.claimed},
                    {"backend", b.backend},
                    {"device", b.device}});
  return list;
}

std::string dispatcher_text(const campaign_view& c, const node_view& n) {
  return is_dispatcher(c.fold().trees()[n.key.tree].tree()[n.key.node]) ? n.row.note : std::string{};
}

} // namespace ke::cli
