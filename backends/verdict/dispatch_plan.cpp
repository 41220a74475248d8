#include "backends/verdict/dispatch_plan.hpp"

#include "backends/verdict/statistics.hpp"
#include "runtime/core/measure_plan.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/settings.hpp"
#include "runtime/core/verdict_state.hpp"

#include <algorithm>
#include <set>

namespace ke {
namespace {

const workload_timing* timing_on(const shape_contender& c, const std::string& workload) {
  auto at = std::find_if(c.workloads.begin(), c.workloads.end(),
                         [&](const workload_timing& w) { return w.name == workload; });
  return at == c.workloads.end() ? nullptr : &*at;
}

const shape_contender& contender(const std::vector<shape_contender>& all, std::uint32_t node) {
  return *std::find_if(all.begin(), all.end(), [&](const auto& c) { return c.node == node; });
}

} // namespace

std::optional<shape_contender> contender_of(std::uint32_t node, const verdict& v, measure_plan plan) {
  if (v.state != verdict_state::correct || !v.timing || !v.score)
    return std::nullopt;
  return shape_contender{node, *v.score, std::max(v.timing->aa_width, plan_of(plan).same_band),
                         v.timing->workloads};
}

std::vector<shape_winner> shape_winners(const problem& what, const std::vector<shape_contender>& all) {
  std::vector<shape_winner> winners;
  for (std::size_t i = 0; i < what.workloads.size(); ++i) {
    if (what.workloads[i].held_out)
      continue;
    const workload_timing* best = nullptr;
    std::uint32_t node = 0;
    for (const auto& c : all)
      if (const auto* w = timing_on(c, what.workloads[i].name); w && (!best || w->low > best->low)) {
        best = w;
        node = c.node;
      }
    if (best)
      winners.push_back({what.workloads[i].name, i, node, *best});
  }
  return winners;
}

std::optional<std::vector<dispatch_choice>> plan_dispatch(const problem& what,
                                                          const std::vector<shape_contender>& all,
                                                          const goal_settings& goal, bool always) {
  if (all.empty() || what.dims.empty())
    return std::nullopt;
  const auto& base = *std::max_element(all.begin(), all.end(), [](const auto& a, const auto& b) {
    return a.score < b.score || (a.score == b.score && a.node > b.node);
  });
  struct pick {
    std::size_t workload;
    std::uint32_t node;
    double worth; ///< the most that it may be there
  };
  std::vector<pick> picks;
  auto needed = always;
  for (const auto& winner : shape_winners(what, all)) {
    const auto* own = timing_on(base, winner.workload);
    auto better = !own || winner.timing.low > own->high * (1 + base.same);
    const auto& who = better ? contender(all, winner.node) : base;
    auto high = better ? winner.timing.high : own->high;
    picks.push_back({winner.index, who.node, high * (1 + who.same)});
    needed = needed || better || picks.back().worth < goal.floor;
  }
  if (!needed)
    return std::nullopt;
  std::vector<dispatch_choice> choices;
  std::set<std::optional<std::uint32_t>> chosen;
  for (const auto& p : picks) {
    choices.push_back({p.workload, p.worth < 1 ? std::nullopt : std::optional{p.node}});
    chosen.insert(choices.back().node);
  }
  if (always && (chosen.size() > 1 || !chosen.contains(std::nullopt)))
    return choices;
  return chosen.size() > 1 ? std::optional{std::move(choices)} : std::nullopt;
}

} // namespace ke
