#include "runtime/search/campaign/claim_book.hpp"

#include "runtime/core/geometric_mean.hpp"
#include "runtime/core/verdict_state.hpp"

#include <algorithm>

namespace ke {
namespace {

/// A candidate's own fault, on whatever device of the class. That one did not build there, or ran out of time, may be
/// that machine's.
bool refutes(const journal_claimed& there) {
  return there.state == verdict_state::incorrect || there.state == verdict_state::nondeterministic ||
         there.state == verdict_state::crashed || there.state == verdict_state::cheating_suspected;
}

void add_once(std::vector<journal_claimed>& all, const journal_claimed& r) {
  if (std::none_of(all.begin(), all.end(), [&](const auto& t) { return t.target == r.target; }))
    all.push_back(r);
}

} // namespace

bool claim_book::entry::confirmed(bool timed) const {
  if (!complete() || std::any_of(elsewhere.begin(), elsewhere.end(), refutes))
    return false;
  auto worst = timing_decision::none; // none < faster < same < slower
  for (const auto& t : targets) {
    if (t.state != verdict_state::correct)
      return false;
    worst = std::max(worst, t.decision);
  }
  return !timed || worst == timing_decision::faster;
}

second_look claim_book::entry::on_second(bool timed) const {
  auto worst = second_look::none;
  for (const auto& there : validated() ? elsewhere : std::vector<journal_claimed>{}) {
    auto says = refutes(there)                                       ? second_look::wrong
                : there.state != verdict_state::correct              ? second_look::not_measured
                : timed && there.decision != timing_decision::faster ? second_look::not_faster
                                                                     : second_look::holds;
    worst = std::max(worst, says);
  }
  return worst;
}

double claim_book::entry::score() const {
  return geometric_mean(targets, [](const auto& t) { return t.score; }).value_or(0);
}

void claim_book::add(const journal_claimed& r, std::uint32_t targets, double search_score) {
  tree_node who{r.tree, r.node};
  auto e = std::find_if(entries_.begin(), entries_.end(), [&](const entry& x) { return x.who == who; });
  if (e == entries_.end())
    e = entries_.insert(e, {who, {}, targets, search_score, {}});
  add_once(e->targets, r);
}

void claim_book::add(const journal_validated& r) {
  tree_node who{r.there.tree, r.there.node};
  auto e = std::find_if(entries_.begin(), entries_.end(), [&](const entry& x) { return x.who == who; });
  if (e != entries_.end())
    add_once(e->elsewhere, r.there);
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
