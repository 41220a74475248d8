#include "runtime/search/lab/what_if_replay.hpp"

#include "runtime/core/codec.hpp"
#include "runtime/core/memory_kind.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/search/campaign/dispatchers.hpp"

#include <algorithm>
#include <deque>

namespace ke {
namespace {

/// How often in a row a policy may insist on branches that are closed before its run ends. The root can't be
/// closed: policies need it. Populations keep a closed member, and choose it less the more often they did.
constexpr std::uint32_t patience = 64;

/// A cancelled candidate gives its place in the budget back.
bool is_evaluation(node_state s) {
  return !is_open(s) && s != node_state::cancelled;
}

void note_best(std::vector<best_so_far>& into, const tree_row& row, std::uint32_t node,
               std::uint64_t evaluations) {
  if (row.state == node_state::correct && row.score > (into.empty() ? 0 : into.back().score))
    into.push_back({row.score, node, evaluations});
}

class replayer {
public:
  replayer(const search_tree& recorded, const recorded_outcomes& outcomes, search_tree core)
      : recorded_{recorded.tree()}, outcomes_{outcomes}, core_{std::move(core)} {
    out_.backend = recorded.backend();
    left_.resize(recorded_.size());
    for (std::uint32_t n = recorded_.size() - 1; n > 0; --n) // the next child is at the end
      if (!is_open(recorded_[n].state) && !is_dispatcher(recorded_[n]) && outcomes_.of(core_.number(), n)) {
        left_[recorded_[n].parent].push_back(n);
        ++out_.unused;
      }
    recount();
  }

  result<what_if_tree> run(std::size_t parallel, std::uint64_t most) {
    most = most ? most : UINT64_MAX;
    for (;;) {
      while (flying_.size() < parallel && out_.unused > 0 && out_.evaluations + flying_.size() < most &&
             insisted_ < patience) {
        auto taken = select();
        if (!taken)
          return taken.error();
        if (!*taken)
          break;
      }
      if (flying_.empty())
        break;
      if (auto done = land(); !done)
        return done.error();
    }
    if (insisted_ > 1) { // it ended with one and the same decision over and over
      out_.selections -= insisted_ - 1;
      out_.closed -= insisted_ - 1;
    }
    out_.stopped = out_.unused == 0           ? "all outcomes used"
                   : out_.evaluations >= most ? "evaluations"
                                              : "nothing left to expand";
    return std::move(out_);
  }

private:
  struct flight {
    std::uint32_t now = 0, then = 0; ///< the node's number here and in the record
  };

  /// The recorded run, in the order in which its candidates ended.
  void recount() {
    std::vector<std::pair<std::uint64_t, std::uint32_t>> ends;
    for (std::uint32_t n = 1; n < recorded_.size(); ++n)
      if (auto o = outcomes_.of(core_.number(), n);
          o && is_evaluation(recorded_[n].state) && !is_dispatcher(recorded_[n]))
        ends.emplace_back(o->last, n);
    std::sort(ends.begin(), ends.end());
    for (const auto& [at, n] : ends)
      note_best(out_.recorded, recorded_[n], n, ++out_.recorded_evaluations);
  }

  /// The next recorded child of the same kind (asked for, or model-free of this operation): the first with
  /// this memory, else the first; no_node: none is left.
  std::uint32_t take(std::uint32_t parent, operation_kind operation, memory_kind memory) {
    auto& left = left_[parent];
    auto found = left.end();
    for (auto at = left.end(); at != left.begin();) {
      const auto& row = recorded_[*--at];
      if (asks_nobody(row.operation) != asks_nobody(operation) ||
          (asks_nobody(operation) && row.operation != operation))
        continue;
      if (found == left.end() || row.memory == memory)
        found = at;
      if (row.memory == memory)
        break;
    }
    if (found == left.end())
      return no_node;
    auto node = *found;
    left.erase(found);
    return node;
  }

  /// One decision of the policy; false: it has none before something has ended.
  result<bool> select() {
    auto made = core_.step(1);
    if (made.empty())
      return false;
    const auto& x = made.front();
    auto decided = !asks_nobody(x.operation); // an answer's further candidates follow by themselves
    out_.selections += decided;
    auto then = take(then_[x.parent], x.operation, x.memory);
    then_.push_back(then == no_node ? 0 : then);
    if (then != no_node) {
      --out_.unused;
      if (decided)
        insisted_ = 0;
      now_[then] = x.node;
      out_.order.push_back(then);
      flying_.push_back({x.node, then});
      return true;
    }
    out_.closed += decided;
    if (auto done = core_.apply(journal_ended{core_.number(), x.node, node_state::cancelled, "closed"});
        !done)
      return done.error();
    if (!decided)
      return true; // the record ends before it was made
    if (x.parent == 0 || core_.tree()[x.parent].state == node_state::poisoned)
      ++insisted_;
    else
      core_.close(x.parent);
    return true;
  }

  status land() {
    auto f = flying_.front();
    flying_.pop_front();
    status done = ok;
    for (const auto& act : outcomes_.of(core_.number(), f.then)->acts) {
      std::visit(
          [&](auto r) {
            r.node = f.now;
            if constexpr (std::is_same_v<decltype(r), journal_judged>) {
              auto first = now_.find(r.duplicate_of);
              r.duplicate_of = first == now_.end() ? no_node : first->second;
            }
            done = core_.apply(r);
          },
          act);
      if (!done)
        return done;
    }
    const auto& row = core_.tree()[f.now];
    if (is_evaluation(row.state))
      note_best(out_.replayed, row, f.then, ++out_.evaluations);
    return ok;
  }

  const tree_index& recorded_;
  const recorded_outcomes& outcomes_;
  search_tree core_;
  std::vector<std::vector<std::uint32_t>> left_;       ///< by recorded parent, the next one last
  std::vector<std::uint32_t> then_{0};                 ///< by node here: its number in the record
  std::map<std::uint32_t, std::uint32_t> now_{{0, 0}}; ///< and back
  std::deque<flight> flying_;
  std::uint32_t insisted_ = 0;
  what_if_tree out_;
};

} // namespace

status recorded_outcomes::add(const journal_record& record) {
  ++records_;
  switch (record.kind) {
  case journal_kind::seeded: {
    auto r = unpack<journal_seeded>(record.body);
    if (!r)
      return r.error();
    if (auto any = by_node_.lower_bound({r->tree, 0}); any != by_node_.end() && any->first.first == r->tree)
      return ok; // a dispatcher is made when the search is over: no policy comes to it
    seeded_.push_back(std::move(*r));
    return ok;
  }
  case journal_kind::asked:
    return note<journal_asked>(record.body, false);
  case journal_kind::replied:
    return note<journal_replied>(record.body, false);
  case journal_kind::judged:
    return note<journal_judged>(record.body, true);
  case journal_kind::ended:
    return note<journal_ended>(record.body, true);
  default:
    return ok;
  }
}

template <class Record>
status recorded_outcomes::note(const std::string& body, bool may_end) {
  auto r = unpack<Record>(body);
  if (!r)
    return r.error();
  auto& o = by_node_[{r->tree, r->node}];
  if (may_end)
    o.last = records_;
  o.acts.emplace_back(std::move(*r));
  return ok;
}

const recorded_outcomes::outcome* recorded_outcomes::of(std::uint32_t tree, std::uint32_t node) const {
  auto at = by_node_.find({tree, node});
  return at == by_node_.end() ? nullptr : &at->second;
}

std::optional<std::uint64_t> what_if_tree::evaluations_to(double score) const {
  for (const auto& b : replayed)
    if (b.score >= score)
      return b.evaluations;
  return std::nullopt;
}

result<std::vector<what_if_tree>> replay_policy(const campaign_fold& recorded,
                                                const recorded_outcomes& outcomes,
                                                const campaign_settings& other, std::uint64_t evaluations) {
  std::vector<what_if_tree> all;
  auto parallel = static_cast<std::size_t>(std::max<std::int64_t>(other.search.parallel, 1));
  for (const auto& tree : recorded.trees()) {
    auto core = search_tree::make(tree.number(), tree.backend(), other);
    if (!core)
      return core.error();
    for (const auto& r : outcomes.seeded())
      if (r.tree == tree.number())
        if (auto fine = core->apply(r); !fine)
          return fine.error();
    auto done = replayer{tree, outcomes, std::move(*core)}.run(parallel, evaluations);
    if (!done)
      return done.error();
    all.push_back(std::move(*done));
  }
  return all;
}

} // namespace ke
