#pragma once

#include "runtime/core/measure_plan.hpp"
#include "runtime/core/node_key.hpp"
#include "runtime/fleet/warrant.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace ke {

/// One evaluation, as the search sees it: a candidate's node, on one target.
using evaluation_place = std::pair<node_key, std::uint32_t>;

/// Which evaluations of earlier lives are still wanted. After a coordinator's restart workers attach before
/// the campaigns have read their journals: until a campaign has said what it waits for, workers' results are
/// kept. Pure.
class wanted_evaluations {
public:
  enum class wish : std::uint8_t { unknown, wanted, unwanted };

  /// The campaign knows its journal; replaces what it said before. A finished one says an empty list.
  void are(std::uint32_t campaign, const std::vector<evaluation_place>& open, bool over) {
    auto& c = campaigns_[campaign];
    c.open = {open.begin(), open.end()};
    c.over = over;
  }
  /// Judged, cancelled or given up: later results come too late.
  void ended(const node_key& node, std::uint32_t target) {
    if (auto c = campaigns_.find(node.campaign); c != campaigns_.end())
      c->second.open.erase({node, target});
  }
  wish of(const warrant& w) const {
    auto c = campaigns_.find(w.node.campaign);
    if (c == campaigns_.end())
      return wish::unknown;
    if (w.plan == measure_plan::claim) // of a finalist; it is asked for again when the search has ended
      return c->second.over ? wish::unwanted : wish::wanted;
    return c->second.open.contains({w.node, w.target}) ? wish::wanted : wish::unwanted;
  }

private:
  struct one_campaign {
    std::set<evaluation_place> open;
    bool over = false;
  };
  std::map<std::uint32_t, one_campaign> campaigns_;
};

} // namespace ke
