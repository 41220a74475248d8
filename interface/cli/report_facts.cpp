#include "interface/cli/report_facts.hpp"

#include "interface/cli/claim_text.hpp"
#include "runtime/core/node_key.hpp"

#include <algorithm>
#include <set>

namespace ke::cli {
namespace {

constexpr std::size_t most_dots = 4000;
constexpr std::size_t most_tree_nodes = 2000;
constexpr std::size_t best_shown = 150; ///< of a tree that is too large: these and the ways to them

void add(cost_share& into, const node_view& n) {
  ++into.nodes;
  into.correct += n.state == node_state::correct;
  into.input_tokens += n.row.usage.input_tokens;
  into.output_tokens += n.row.usage.output_tokens;
  into.usd += n.row.usage.usd;
  into.device_s += n.row.device_s;
  if (n.state == node_state::correct)
    into.best = std::max(into.best, n.score.value_or(0));
}

/// The nodes of a tree that the report shows: all, or the best ones with their ancestors.
std::set<std::uint32_t> shown_of(const tree_index& tree) {
  std::set<std::uint32_t> shown{0};
  if (tree.size() <= most_tree_nodes) {
    for (std::uint32_t n = 1; n < tree.size(); ++n)
      shown.insert(n);
    return shown;
  }
  std::vector<std::pair<double, std::uint32_t>> scored;
  for (std::uint32_t n = 1; n < tree.size(); ++n)
    if (tree[n].state == node_state::correct)
      scored.emplace_back(-tree[n].score, n);
  std::sort(scored.begin(), scored.end());
  for (std::size_t i = 0; i < scored.size() && i < best_shown; ++i)
    for (auto up = scored[i].second;
         up != no_node && shown.size() < most_tree_nodes && shown.insert(up).second; up = tree[up].parent) {
    }
  return shown;
}

status add_tree(report_facts& f, const campaign_view& c, const search_tree& core) {
  const auto& tree = core.tree();
  f.tree_size += tree.size() - 1;
  auto shown = shown_of(tree);
  std::set<std::uint32_t> to_winner;
  if (auto best = c.winner(); best && best->tree == core.number())
    for (auto up = best->node; up != no_node; up = tree[up].parent)
      to_winner.insert(up);
  std::map<std::uint32_t, std::uint32_t> at; // node -> index
  for (auto node : shown) {
    auto n = c.node(node_key{c.id(), core.number(), node});
    if (!n)
      return n.error();
    at[node] = static_cast<std::uint32_t>(f.tree.size());
    report_tree_node r;
    r.id = n->id;
    r.state = n->state;
    r.decision = n->decision;
    r.score = n->score;
    r.model = n->row.model;
    r.note = n->row.note;
    r.to_winner = to_winner.contains(node);
    f.tree.push_back(std::move(r));
  }
  for (auto node : shown)
    for (auto child : tree.children(node))
      if (auto found = at.find(child); found != at.end())
        f.tree[at[node]].children.push_back(found->second);
      else
        ++f.tree[at[node]].hidden;
  return ok;
}

result<report_node> node_with_source(const campaign_view& c, std::uint64_t id) {
  auto n = c.node(id);
  if (!n)
    return n.error();
  report_node r;
  if (auto source = c.source_of(*n))
    r.source = std::move(*source);
  r.found = c.verdict_of(*n);
  r.report = c.report_of(*n);
  r.view = std::move(*n);
  return r;
}

void add_campaign(report_facts& f, const campaign_view& c) {
  f.row = c.row();
  f.settings = c.settings();
  f.problem = c.problem();
  f.store_id = c.store().id();
  f.store_dir = c.store().dir();
  f.version = c.fold().books().version();
}

template <class Winner>
result<report_step> step_of(const campaign_view& c, const Winner& w) {
  auto n = c.node(w.node);
  if (!n)
    return n.error();
  auto v = w.claimed ? c.claimed_verdict(n->key) : c.verdict_of(*n);
  if (v && v->timing)
    return report_step{w, v->timing->speedup, v->timing->low, v->timing->high, true};
  return report_step{w, w.score, w.score, w.score, false};
}

/// By time, and counted; of many evenly some, as the winners are drawn by themselves.
void order_dots(report_facts& f) {
  f.judged = f.dots.size();
  std::sort(f.dots.begin(), f.dots.end(), [](const auto& a, const auto& b) { return a.ms < b.ms; });
  for (std::size_t i = 0; i < f.dots.size(); ++i) {
    f.dots[i].candidates = i + 1;
    if (f.dots[i].correct && !f.first_correct_ms)
      f.first_correct_ms = f.dots[i].ms;
  }
  if (f.dots.size() <= most_dots)
    return;
  auto every = f.dots.size() / most_dots + 1;
  std::size_t kept = 0;
  for (std::size_t i = 0; i < f.dots.size(); i += every)
    f.dots[kept++] = f.dots[i];
  f.dots.resize(kept);
}

/// The last winner, what it was made from, and what is told of it alone.
status add_best(report_facts& f, const campaign_view& c) {
  auto best = node_with_source(c, f.steps.back().won.node);
  if (!best)
    return best.error();
  f.claimed = f.steps.back().won.claimed;
  if (f.claimed)
    best->found = c.claimed_verdict(best->view.key);
  if (const auto* claim = c.claim_on(best->view.key))
    f.second = second_device_text(*claim, c.settings().goal.timed);
  f.below = below_floor_of(c, best->view);
  f.dispatcher = dispatcher_text(c, best->view);
  f.shapes = shape_bests_of(c);
  f.best_ms = f.steps.back().won.judged_ms;
  if (!best->view.row.parents.empty()) {
    auto parent = node_with_source(c, c.public_id(best->view.key.tree, best->view.row.parents.front()));
    if (!parent)
      return parent.error();
    f.parent = std::move(*parent);
  }
  f.best = std::move(*best);
  return ok;
}

} // namespace

result<report_facts> report_facts_of(const campaign_view& c) {
  report_facts f;
  add_campaign(f, c);
  auto winners = winners_of(c);
  if (!winners)
    return winners.error();
  for (const auto& w : *winners)
    if (auto s = step_of(c, w))
      f.steps.push_back(*s);
    else
      return s.error();
  std::vector<model_answer> answers;
  auto read = c.each(0, [&](const node_view& n) {
    if (n.is_root())
      return true;
    if (has_verdict(n.state) || n.state == node_state::unanswered)
      answers.push_back({std::max(n.row.judged_ms, n.row.answered_ms), n.id, n.row.model,
                         n.row.usage.input_tokens + n.row.usage.output_tokens, n.row.usage.usd,
                         n.state == node_state::correct, n.score.value_or(0)});
    add(f.all, n);
    add(f.by_model[n.row.model], n);
    add(f.by_state[std::string{to_text(n.state)}], n);
    f.compiled += n.state == node_state::compiled;
    if (has_verdict(n.state))
      f.dots.push_back({n.row.judged_ms, 0, n.score.value_or(0), n.state == node_state::correct});
    return true;
  });
  if (!read)
    return read.error();
  f.effort = efforts_of(std::move(answers), f.settings.goal.target_speedup);
  order_dots(f);
  status done = ok;
  for (const auto& core : c.fold().trees())
    done = done ? add_tree(f, c, core) : done;
  if (done && !f.steps.empty())
    done = add_best(f, c);
  return done ? result<report_facts>{std::move(f)} : done.error();
}

} // namespace ke::cli
