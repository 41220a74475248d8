#pragma once

#include "runtime/net/warrant.hpp"

#include <cstdint>
#include <map>
#include <set>
#include <utility>
#include <vector>

namespace ke {

/// One evaluation as the search sees it: a candidate's node, on one target.
using work_place = std::pair<node_key, std::uint32_t>;

/// Which evaluations of earlier lives are still wanted. Workers attach again before the campaigns of a
/// coordinator that was started again have read their journals: until a campaign has said what it waits for,
/// nobody can tell, and what a worker brings is kept. Pure.
class wanted_work {
public:
  enum class wish : std::uint8_t { unknown, wanted, unwanted };

  /// The campaign knows its journal now; replaces what it said before. One that is over says an empty list.
  void are(std::uint32_t campaign, const std::vector<work_place>& open, bool over) {
    auto& c = campaigns_[campaign];
    c.open = {open.begin(), open.end()};
    c.over = over;
  }
  /// It was judged, cancelled or given up: what comes later comes too late.
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
  struct campaign_state {
    std::set<work_place> open;
    bool over = false;
  };
  std::map<std::uint32_t, campaign_state> campaigns_;
};

} // namespace ke
