#include "actors/campaign/dispatch_round.hpp"

#include "backends/evaluation/dispatcher.hpp"
#include "runtime/core/baseline.hpp"
#include "runtime/core/measure_plan.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/rows.hpp"
#include "runtime/core/verdict.hpp"
#include "runtime/core/verdict_state.hpp"
#include "runtime/llm/answer_form.hpp"
#include "runtime/observe/log.hpp"
#include "runtime/search/campaign/dispatchers.hpp"
#include "runtime/text/source_text.hpp"

#include <algorithm>

namespace ke {
namespace {

/// What is read for all nodes of a tree; every callback runs on the store's thread.
struct shapes_reading {
  std::vector<shape_contender> contenders;
  std::map<std::uint32_t, std::string> sources;
  std::size_t left = 0;
  std::function<void(shapes_reading&)> done;

  void one_less() {
    if (--left == 0)
      done(*this);
  }
};

/// `claim`: of the verdict of a claim, which counts instead of the search's; empty: there is none.
void read_contender(store_port& store, const node_key& n, std::string claim,
                    const std::shared_ptr<shapes_reading>& r) {
  store.read(table::nodes, key_of(n.campaign, n.tree, n.node),
             [&store, n, claim, r](result<std::string> bytes) {
               auto row = bytes ? unpack<node_row>(*bytes) : result<node_row>{bytes.error()};
               if (!row || row->verdict_digests.empty())
                 return r->one_less();
               r->sources[n.node] = row->source_digest;
               auto plan = claim.empty() ? measure_plan::rank : measure_plan::claim;
               const auto& counts = claim.empty() ? row->verdict_digests.front() : claim;
               store.read(table::verdicts, counts, [n, plan, r](result<std::string> bytes) {
                 if (auto v = bytes ? unpack<verdict>(*bytes) : result<verdict>{bytes.error()})
                   if (auto c = contender_of(n.node, *v, plan))
                     r->contenders.push_back(std::move(*c));
                 r->one_less();
               });
             });
}

/// Who computes the shapes that no kernel is chosen for: what the times are compared with.
dispatcher_part fallback_of(const problem& what) {
  // torch.compile would compile in the first call of each shape, which no candidate has the time for.
  if (auto b = baseline_of(what); b && !b->source.empty() && !is_compiled(b))
    return {"the baseline " + b->name, b->source};
  return {"the reference", what.reference};
}

} // namespace

bool dispatch_round::go_on() {
  if (!std::exchange(begun_, true))
    for (const auto& tree : journal_.trees()) {
      if (may_have_one(tree, 2))
        read_shapes(tree, false);
      else if (tree.tree().targets() > 1 && journal_.what().workloads.size() > 1)
        log::info("campaign", "several targets share a tree: its best kernels are not put together to one",
                  {{"tree", std::to_string(tree.number())}});
    }
  for (const auto& tree : journal_.trees())
    if (is_below_floor_by_claim(tree) && may_have_one(tree, 1) && tried_exactly_.insert(tree.number()).second)
      read_shapes(tree, true);
  return reading_ > 0 || journal_.books().in_flight() > 0;
}

/// Its mean is above 1, and it is called slower all the same.
bool dispatch_round::is_below_floor_by_claim(const search_tree& tree) const {
  const auto& all = journal_.books().claims().all();
  return std::any_of(all.begin(), all.end(), [&](const claim_book::entry& e) {
    return e.who.first == tree.number() && e.complete() &&
           e.targets.front().state == verdict_state::correct &&
           e.targets.front().decision == timing_decision::slower && e.score() > 1;
  });
}

/// `workloads`: it needs at least so many that are no secret.
bool dispatch_round::may_have_one(const search_tree& tree, std::ptrdiff_t workloads) const {
  const auto& what = journal_.what();
  auto shown = std::count_if(what.workloads.begin(), what.workloads.end(),
                             [](const workload& w) { return !w.held_out; });
  // A dispatcher is written in the reference's language, of whose sources all is known.
  const auto& language = *journal_.language_of(tree.number());
  return journal_.settings().goal.timed && language.name == what.reference_language &&
         language.syntax.family != source_language::other && tree.tree().targets() == 1 &&
         !what.dims.empty() && shown >= workloads;
}

bool dispatch_round::is_possible() const {
  const auto& trees = journal_.trees();
  return std::any_of(trees.begin(), trees.end(),
                     [&](const search_tree& tree) { return may_have_one(tree, 2); });
}

void dispatch_round::read_shapes(const search_tree& tree, bool exact) {
  auto nodes = dispatchable(tree.tree(), most_dispatchable);
  if (nodes.empty())
    return;
  ++reading_;
  auto r = std::make_shared<shapes_reading>();
  r->left = nodes.size();
  r->done = [tell = out_.shapes, t = tree.number(), exact](shapes_reading& all) {
    tell(shapes_read{t, exact,
                     std::make_shared<const std::vector<shape_contender>>(std::move(all.contenders)),
                     std::make_shared<const std::map<std::uint32_t, std::string>>(std::move(all.sources))});
  };
  for (auto node : nodes) {
    const auto* e = journal_.books().claims().find({tree.number(), node});
    read_contender(*journal_.options().store, journal_.key(tree.number(), node),
                   e && e->complete() ? e->targets.front().verdict_digest : std::string{}, r);
  }
}

void dispatch_round::plan(const shapes_read& s, bool wanted) {
  auto choices = plan_dispatch(journal_.what(), *s.contenders, journal_.settings().goal, s.exact);
  if (!wanted || !choices) {
    --reading_;
    return;
  }
  std::set<std::uint32_t> nodes;
  for (const auto& c : *choices)
    if (c.node)
      nodes.insert(*c.node);
  auto found = std::make_shared<std::map<std::uint32_t, std::string>>();
  auto all = std::make_shared<const std::vector<dispatch_choice>>(std::move(*choices));
  for (auto node : nodes) {
    auto last = node == *nodes.rbegin(); // the reads come back in this order, on one thread
    journal_.options().store->read_blob(
        s.sources->at(node),
        [tell = out_.parts, t = s.tree, exact = s.exact, node, last, found, all](result<std::string> text) {
          if (text)
            (*found)[node] = std::move(*text);
          if (last)
            tell(parts_read{t, exact, all, found});
        });
  }
}

std::optional<node_key> dispatch_round::assemble(const parts_read& p, bool wanted) {
  --reading_;
  return wanted ? add(p) : std::nullopt;
}

/// The source, the plan for people, and the parts: the first seed stands for the dispatcher itself.
result<dispatch_round::made> dispatch_round::put_together(const parts_read& p) const {
  const auto& what = journal_.what();
  const auto& language = journal_.language_of(p.tree)->syntax;
  auto buckets = p.exact ? shape_buckets(what, 1) : shape_buckets(what);
  auto fallback = fallback_of(what);
  std::vector<dispatcher_part> parts;
  std::vector<dispatcher_rule> rules;
  made m{{}, "dispatcher:", {p.tree, {{}}}};
  std::map<std::uint32_t, std::size_t> place; // of a node among the parts
  for (const auto& c : *p.choices) {
    if (!c.node)
      continue;
    auto source = p.sources->find(*c.node);
    if (source == p.sources->end())
      return failure{failure_kind::not_found, "a part's source can't be read"};
    auto [at, fresh] = place.emplace(*c.node, parts.size());
    if (fresh) {
      auto name = "node " + journal_.id(journal_.key(p.tree, *c.node));
      m.seeds.seeds.push_back({source_digest(source->second, language), name});
      parts.push_back({std::move(name), source->second});
    }
    rules.push_back({buckets[c.workload], at->second, what.workloads[c.workload].name});
  }
  auto source = is_python(what) ? python_dispatcher(what, parts, rules, fallback)
                                : cpp_dispatcher(what, parts, rules, fallback);
  if (!source)
    return source.error();
  for (const auto& rule : rules)
    m.plan += " " + parts[rule.part].name + " for " + rule.workload + (p.exact ? " alone," : ",");
  m.plan += " " + fallback.name + " for every other shape";
  m.source = std::move(*source);
  return m;
}

std::optional<node_key> dispatch_round::add(const parts_read& p) {
  auto m = put_together(p);
  if (!m) {
    log::warn("campaign", "the best kernels of the workloads can't be put together to one",
              {{"tree", std::to_string(p.tree)}, {"why", m.error().text}});
    return std::nullopt;
  }
  const auto& tree = journal_.tree(p.tree);
  if (auto first = tree.first_with(source_digest(m->source, journal_.language_of(p.tree)->syntax));
      first && tree.tree()[*first].state != node_state::cancelled)
    return std::nullopt; // an earlier session has judged it
  store_batch batch;
  auto& seed = m->seeds.seeds.front();
  seed.source_digest = batch.blob(m->source);
  seed.plan = m->plan;
  journal_.record(batch, journal_kind::seeded, m->seeds);
  auto n = journal_.key(p.tree, tree.tree().size() - 1);
  rows_.assembled(batch, n, m->plan);
  log::info("campaign", "the best kernels of the workloads are put together to one",
            {{"node", journal_.id(n)}, {"plan", m->plan}});
  journal_.commit(std::move(batch));
  return n;
}

} // namespace ke
