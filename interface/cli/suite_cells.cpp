#include "interface/cli/suite_cells.hpp"

#include "backends/verdict/unfit_reasons.hpp"
#include "interface/cli/campaign_view.hpp"
#include "interface/cli/figures.hpp"
#include "runtime/core/baseline.hpp"
#include "runtime/core/codec.hpp"
#include "runtime/core/evidence_keys.hpp"
#include "runtime/core/journal.hpp"
#include "runtime/core/journal_record.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/settings.hpp"
#include "runtime/core/verdict.hpp"
#include "runtime/core/verdict_state.hpp"
#include "runtime/records/best_known_baseline.hpp"
#include "runtime/search/campaign/admission.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace ke::cli {
namespace {

/// Of candidates none of which is right: the nearest first.
constexpr node_state nearest_first[] = {
    node_state::noisy,        node_state::compiled,         node_state::incorrect,
    node_state::timeout,      node_state::nondeterministic, node_state::resource_exceeded,
    node_state::crashed,      node_state::policy_violation, node_state::cheating_suspected,
    node_state::build_failed, node_state::unfit_problem,    node_state::harness_error,
    node_state::poisoned,     node_state::unanswered,
};

/// The last word on the reference as a candidate, by tree; nothing where an earlier campaign's was found.
std::map<std::uint32_t, journal_admitted> admissions_of(const store_reader& store, std::uint32_t campaign) {
  std::map<std::uint32_t, journal_admitted> last;
  (void)store.journal(campaign, 0, [&](std::uint64_t, const journal_record& r) {
    if (r.kind == journal_kind::admitted)
      if (auto a = unpack<journal_admitted>(r.body))
        last[a->tree] = *a;
    return true;
  });
  return last;
}

bool refused(const journal_admitted& a, const problem& what) {
  return admission_of(a.state, baseline_of(what).has_value()) == admission_fate::refused;
}

/// The tree's best candidate: the one that is claimed, else the search's.
std::optional<node_key> best_in(const campaign_view& c, std::uint32_t tree) {
  if (auto winner = c.winner(); winner && winner->tree == tree)
    return winner;
  auto best = c.fold().trees()[tree].tree().best();
  return best == 0 ? std::nullopt : std::optional{node_key{c.id(), tree, best}};
}

void tell_figures(suite_cell& cell, const verdict& v) {
  cell.device = v.device;
  cell.environment = v.provenance;
  if (!v.timing)
    return;
  cell.speedup = v.timing->speedup;
  cell.low = v.timing->low;
  cell.high = v.timing->high;
  // A third of it: then a kernel twice as fast would hardly show.
  if (const auto& t = *v.timing; t.reference_ns > 0 && 3 * t.floor_ns > t.reference_ns)
    cell.note = "too small: of the baseline's " + nanoseconds_text(t.reference_ns) + " a call " +
                nanoseconds_text(t.floor_ns) + " are the way to it, so it is the launch that is timed";
}

/// By the claim's measurement if it says something, else by the search's.
void tell_best(suite_cell& cell, const campaign_view& c, const node_key& key) {
  auto n = c.node(key);
  if (!n)
    return;
  auto timed = c.settings().goal.timed;
  const auto* claim = c.claim_on(key);
  cell.claimed = claim && claim->confirmed(timed);
  cell.state = to_text(n->state);
  cell.decision = n->decision;
  if (timed)
    cell.score = n->score;
  auto again = c.claimed_verdict(key);
  auto v = again && !says_nothing(again->state) ? again : c.verdict_of(*n);
  if (v) {
    cell.state = to_text(v->state);
    cell.decision = v->decision;
    cell.score = v->score;
    tell_figures(cell, *v);
  }
  if (claim && !cell.claimed)
    cell.note = "measured again, it was not confirmed" + (again ? ": " + again->reason : std::string{});
}

/// No candidate is right: which state came nearest, and how many there are of each.
void tell_nearest(suite_cell& cell, const tree_index& tree) {
  cell.state = "none";
  for (auto state : nearest_first)
    if (auto n = tree.count(state); n > 0) {
      if (cell.state == "none")
        cell.state = to_text(state);
      cell.note += (cell.note.empty() ? "" : ", ") + std::string{to_text(state)} + " " + std::to_string(n);
    }
  if (cell.note.empty())
    cell.note = "no candidate was judged";
}

void tell_refused(suite_cell& cell, const journal_admitted& a) {
  auto accepts = a.state == verdict_state::unfit_problem && a.why.starts_with(check_accepts);
  cell.standing = accepts ? suite_standing::unfit : suite_standing::refused;
  cell.state = to_text(a.state);
  cell.note = a.why;
}

} // namespace

result<std::vector<suite_cell>> cells_of(const store_reader& store, const campaign_row& row) {
  auto view = campaign_view::open(store, row);
  if (!view)
    return view.error();
  const auto& c = *view;
  auto admitted = admissions_of(store, row.id);
  auto ended = c.row().state == "finished";
  std::vector<suite_cell> cells;
  for (const auto& t : c.fold().trees()) {
    suite_cell cell;
    cell.backend = t.backend();
    cell.baseline = baseline_name(c.problem());
    cell.campaign = row.name;
    cell.candidates = t.tree().ended();
    auto said = admitted.find(t.number());
    if (auto best = best_in(c, t.number()))
      tell_best(cell, c, *best);
    else if (said != admitted.end() && refused(said->second, c.problem()))
      tell_refused(cell, said->second);
    else if (ended)
      tell_nearest(cell, t.tree());
    if (ended && cell.standing == suite_standing::pending)
      cell.standing = suite_standing::judged;
    cells.push_back(std::move(cell));
  }
  return cells;
}

std::optional<campaign_row> suite_campaign(const store_reader& store, const std::string& name,
                                           const problem& what) {
  auto row = find_campaign(store, name);
  if (row && !name.empty() && is_same_problem(store, row->problem_digest, what))
    return std::move(*row);
  return std::nullopt;
}

bool has_ended(const store_reader& store, const campaign_row& row, const campaign_settings& settings) {
  auto view = campaign_view::open(store, row);
  if (!view)
    return false; // whoever starts it says what is wrong
  if (view->row().state == "finished")
    return pack(view->settings().budget) == pack(settings.budget) &&
           view->settings().goal.target_speedup == settings.goal.target_speedup;
  auto admitted = admissions_of(store, row.id);
  return view->row().state == "failed" && !admitted.empty() &&
         std::all_of(admitted.begin(), admitted.end(),
                     [&](const auto& a) { return refused(a.second, view->problem()); });
}

} // namespace ke::cli
