#include "actors/campaign/campaign_keeper.hpp"

#include "backends/evaluation/dispatcher.hpp"
#include "runtime/core/baseline.hpp"
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

bool keeper::dispatching() {
  if (!std::exchange(dispatch_begun_, true))
    for (const auto& tree : fold_.trees()) {
      if (may_dispatch(tree, 2))
        read_shapes(tree, false);
      else if (tree.tree().targets() > 1 && stored_->problem->workloads.size() > 1)
        log::info("campaign", "several targets share a tree: its best kernels are not put together to one",
                  {{"tree", std::to_string(tree.number())}});
    }
  for (const auto& tree : fold_.trees())
    if (below_floor_by_claim(tree) && may_dispatch(tree, 1) &&
        dispatched_exactly_.insert(tree.number()).second)
      read_shapes(tree, true);
  return dispatch_reads_ > 0 || books().in_flight() > 0;
}

/// Its mean is above 1, and it is called slower all the same.
bool keeper::below_floor_by_claim(const search_tree& tree) const {
  const auto& all = fold_.books().claims().all();
  return std::any_of(all.begin(), all.end(), [&](const claim_book::entry& e) {
    return e.who.first == tree.number() && e.complete() &&
           e.targets.front().state == verdict_state::correct &&
           e.targets.front().decision == timing_decision::slower && e.score() > 1;
  });
}

bool keeper::may_dispatch(const search_tree& tree, std::ptrdiff_t workloads) const {
  const auto& what = *stored_->problem;
  auto shown = std::count_if(what.workloads.begin(), what.workloads.end(),
                             [](const workload& w) { return !w.held_out; });
  // A dispatcher is written in the reference's language, of whose sources all is known.
  const auto& language = *options_.languages.at(tree.backend());
  return fold_.books().settings().goal.timed && language.name == what.reference_language &&
         language.syntax.family != source_language::other && tree.tree().targets() == 1 &&
         !what.dims.empty() && shown >= workloads;
}

bool keeper::may_dispatch() const {
  const auto& trees = fold_.trees();
  return std::any_of(trees.begin(), trees.end(),
                     [&](const search_tree& tree) { return may_dispatch(tree, 2); });
}

void keeper::read_shapes(const search_tree& tree, bool exact) {
  auto nodes = dispatchable(tree.tree(), most_dispatchable);
  if (nodes.empty())
    return;
  ++dispatch_reads_;
  auto r = std::make_shared<shapes_reading>();
  r->left = nodes.size();
  r->done = [me = weak(self_), t = tree.number(), exact](shapes_reading& all) {
    send_weak(
        me,
        shapes_read{t, exact, std::make_shared<const std::vector<shape_contender>>(std::move(all.contenders)),
                    std::make_shared<const std::map<std::uint32_t, std::string>>(std::move(all.sources))});
  };
  for (auto node : nodes) {
    const auto* e = books().claims().find({tree.number(), node});
    read_contender(*options_.store, {options_.id, tree.number(), node},
                   e && e->complete() ? e->targets.front().verdict_digest : std::string{}, r);
  }
}

void keeper::shapes(const shapes_read& s) {
  auto choices = plan_dispatch(*stored_->problem, *s.contenders, books().settings().goal, s.exact);
  if (ended_ || interrupted_ || !choices) {
    --dispatch_reads_;
    return pump();
  }
  std::set<std::uint32_t> wanted;
  for (const auto& c : *choices)
    if (c.node)
      wanted.insert(*c.node);
  auto found = std::make_shared<std::map<std::uint32_t, std::string>>();
  auto all = std::make_shared<const std::vector<dispatch_choice>>(std::move(*choices));
  for (auto node : wanted) {
    auto last = node == *wanted.rbegin(); // the reads come back in this order, on one thread
    options_.store->read_blob(s.sources->at(node), [me = weak(self_), t = s.tree, exact = s.exact, node, last,
                                                    found, all](result<std::string> text) {
      if (text)
        (*found)[node] = std::move(*text);
      if (last)
        send_weak(me, parts_read{t, exact, all, found});
    });
  }
}

void keeper::parts(const parts_read& p) {
  --dispatch_reads_;
  if (!ended_ && !interrupted_)
    add_dispatcher(p);
  pump();
}

void keeper::add_dispatcher(const parts_read& p) {
  const auto& what = *stored_->problem;
  auto& tree = core(p.tree);
  const auto& language = language_of(p.tree)->syntax;
  auto buckets = p.exact ? shape_buckets(what, 1) : shape_buckets(what);
  auto fallback = fallback_of(what);
  std::vector<dispatcher_part> parts;
  std::vector<dispatcher_rule> rules;
  journal_seeded r{p.tree, {{}}};
  std::map<std::uint32_t, std::size_t> place; // of a node among the parts
  auto missing = false;
  for (const auto& c : *p.choices) {
    auto source = c.node ? p.sources->find(*c.node) : p.sources->end();
    missing = missing || (c.node && source == p.sources->end());
    if (source == p.sources->end())
      continue;
    auto [at, fresh] = place.emplace(*c.node, parts.size());
    if (fresh) {
      auto name = "node " + id({options_.id, p.tree, *c.node});
      r.seeds.push_back({source_digest(source->second, language), name});
      parts.push_back({std::move(name), source->second});
    }
    rules.push_back({buckets[c.workload], at->second, what.workloads[c.workload].name});
  }
  auto made = missing ? result<std::string>{failure{failure_kind::not_found, "a part's source can't be read"}}
              : is_python(what) ? python_dispatcher(what, parts, rules, fallback)
                                : cpp_dispatcher(what, parts, rules, fallback);
  if (!made)
    return log::warn("campaign", "the best kernels of the workloads can't be put together to one",
                     {{"tree", std::to_string(p.tree)}, {"why", made.error().text}});
  if (auto first = tree.first_with(source_digest(*made, language));
      first && tree.tree()[*first].state != node_state::cancelled)
    return; // an earlier session has judged it
  auto& seed = r.seeds.front();
  seed.plan = "dispatcher:";
  for (const auto& rule : rules)
    seed.plan += " " + parts[rule.part].name + " for " + rule.workload + (p.exact ? " alone," : ",");
  seed.plan += " " + fallback.name + " for every other shape";
  store_batch batch;
  seed.source_digest = batch.blob(*made);
  record(batch, journal_kind::seeded, r);
  node_key n{options_.id, p.tree, tree.tree().size() - 1};
  auto& row = rows_[n];
  row.parents = tree.tree().parents(n.node);
  row.memory = tree.tree()[n.node].memory;
  row.note = seed.plan;
  row.planned_ms = wall_ms();
  put_node(batch, n);
  log::info("campaign", "the best kernels of the workloads are put together to one",
            {{"node", id(n)}, {"plan", seed.plan}});
  commit(std::move(batch));
  wake({n});
}

} // namespace ke
