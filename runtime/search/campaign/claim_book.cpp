#include "runtime/search/campaign/claim_book.hpp"

#include "runtime/core/geometric_mean.hpp"
#include "runtime/core/verdict_state.hpp"

#include <algorithm>

namespace ke {

bool claim_book::entry::confirmed(bool timed) const {
  if (!complete())
    return false;
  auto worst = timing_decision::none; // none < faster < same < slower
  for (const auto& t : targets) {
    if (t.state != verdict_state::correct)
      return false;
    worst = std::max(worst, t.decision);
  }
  return !timed || worst == timing_decision::faster;
}

double claim_book::entry::score() const {
  return geometric_mean(targets, [](const auto& t) { return t.score; }).value_or(0);
}

void claim_book::add(const journal_claimed& r, std::uint32_t targets, double search_score) {
  tree_node who{r.tree, r.node};
  auto e = std::find_if(entries_.begin(), entries_.end(), [&](const entry& x) { return x.who == who; });
  if (e == entries_.end())
    e = entries_.insert(e, {who, {}, targets, search_score});
  auto same = std::find_if(e->targets.begin(), e->targets.end(),
                           [&](const journal_claimed& t) { return t.target == r.target; });
  if (same == e->targets.end())
    e->targets.push_back(r);
}

const claim_book::entry* claim_book::find(tree_node who) const {
  auto e = std::find_if(entries_.begin(), entries_.end(), [&](const entry& x) { return x.who == who; });
  return e == entries_.end() ? nullptr : &*e;
}

bool claim_book::measured(tree_node who) const {
  const auto* e = find(who);
  return e && e->complete();
}

const claim_book::entry* claim_book::champion(bool timed) const {
  const entry* best = nullptr;
  for (const auto& e : entries_)
    if (e.confirmed(timed) && (!best || e.score() > best->score()))
      best = &e;
  return best;
}

double claim_book::shrinkage() const {
  double most = 1;
  for (const auto& e : entries_)
    if (e.complete() && e.score() > 0)
      most = std::max(most, e.search_score / e.score());
  return std::min(most, 1.5);
}

} // namespace ke
