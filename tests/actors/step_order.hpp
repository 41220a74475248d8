#pragma once

#include "runtime/core/codec.hpp"
#include "runtime/core/journal.hpp"
#include "runtime/core/journal_record.hpp"
#include "runtime/core/journal_retrieved.hpp"
#include "runtime/core/node_key.hpp"
#include "runtime/core/verdict.hpp"
#include "runtime/search/campaign/campaign_fold.hpp"

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

// The six steps of each candidate, in the journal of a whole campaign:
//
//   1 stepped    fed back and selected: after the verdicts of its parents
//   2 retrieved  documents, by what the parent's verdict says
//   3 asked      the model
//   4 replied    a candidate
//   5 judged     its evaluation
//   6 output     `claimed`, `finished`: after every verdict
//
// Who asks nobody (a further candidate, a point of a template) has neither 2 nor 3.

namespace ke::test {

class step_order {
public:
  /// The diagnosis, or the failure, that a node's verdict holds; by the verdict's key.
  using verdicts = std::function<std::optional<verdict>(const std::string& digest)>;

  /// Whatever of the order does not hold, in words; empty: it holds for every node. Of a campaign that ended by
  /// itself, each candidate judged.
  static std::vector<std::string> faults(const std::vector<journal_record>& journal,
                                         const verdicts& verdict_of) {
    step_order o{verdict_of};
    for (const auto& r : journal)
      o.take(r);
    o.look_at_ends();
    return o.faults_;
  }

private:
  using node = std::pair<std::uint32_t, std::uint32_t>; ///< tree, number
  struct steps {
    bool asks = true;
    std::vector<std::uint32_t> parents;
    std::vector<journal_kind> done; ///< in their order
    std::string verdict_digest;
    std::optional<journal_retrieved> found;
  };

  explicit step_order(const verdicts& verdict_of) : verdict_of_{verdict_of} {}

  void fault(node n, const std::string& what) {
    faults_.push_back("node " + std::to_string(n.second) + " of tree " + std::to_string(n.first) + ": " +
                      what);
  }

  void take(const journal_record& r) {
    if (r.wall_ms < last_ms_)
      faults_.push_back("campaign time goes back at a record `" + std::string{to_text(r.kind)} + "`");
    last_ms_ = r.wall_ms;
    if (auto done = fold_.apply(r); !done)
      faults_.push_back(done.error().text);
    switch (r.kind) {
    case journal_kind::stepped:
      return stepped(*unpack<journal_stepped>(r.body));
    case journal_kind::retrieved:
      return retrieved(*unpack<journal_retrieved>(r.body));
    case journal_kind::asked:
      note(*unpack<journal_asked>(r.body), r.kind);
      return;
    case journal_kind::replied:
      note(*unpack<journal_replied>(r.body), r.kind);
      return;
    case journal_kind::judged:
      return judged(*unpack<journal_judged>(r.body));
    case journal_kind::claimed:
      return claimed(*unpack<journal_claimed>(r.body));
    case journal_kind::finished:
      finished_ = true;
      return;
    default:
      return;
    }
  }

  void stepped(const journal_stepped& r) {
    const auto& tree = fold_.trees().at(r.tree).tree();
    for (auto n = r.first; n < tree.size(); ++n) {
      auto& s = all_[{r.tree, n}];
      s.asks = !asks_nobody(tree[n].operation);
      s.parents = tree.parents(n);
      s.done = {journal_kind::stepped};
      for (auto p : s.parents)
        if (s.asks && p != 0 && all_[{r.tree, p}].verdict_digest.empty())
          fault({r.tree, n}, "was selected before its parent " + std::to_string(p) + " was judged");
    }
  }

  template <class Record>
  steps* note(const Record& r, journal_kind kind) {
    auto at = all_.find({r.tree, r.node});
    if (at == all_.end() || finished_) {
      fault({r.tree, r.node},
            std::string{to_text(kind)} + (finished_ ? " after the end" : " before it was selected"));
      return nullptr;
    }
    at->second.done.push_back(kind);
    return &at->second;
  }

  /// The query is the diagnosis: of the parent, known by then, with the same words.
  void retrieved(const journal_retrieved& r) {
    auto* s = note(r, journal_kind::retrieved);
    if (!s)
      return;
    s->found = r;
    node n{r.tree, r.node};
    auto parent = s->parents.empty() ? 0 : s->parents.front();
    if (r.diagnosed != parent)
      fault(n, "its query is of node " + std::to_string(r.diagnosed) + ", its parent is " +
                   std::to_string(parent));
    if (parent == 0) {
      if (!r.bottleneck.empty() || !r.failure.empty())
        fault(n, "a draft's query names a signal");
      return;
    }
    auto found = verdict_of_(all_[{r.tree, parent}].verdict_digest);
    if (!found)
      return fault(n, "documents were chosen before its parent was diagnosed");
    auto right = found->state == verdict_state::correct || found->state == verdict_state::noisy;
    if (r.failure != (right ? "" : to_text(found->state)) ||
        r.bottleneck != (right && found->diagnosis ? found->diagnosis->bottleneck : ""))
      fault(n, "its query is not the diagnosis of its parent");
  }

  void judged(const journal_judged& r) {
    if (auto* s = note(r, journal_kind::judged))
      s->verdict_digest = r.verdict_digest;
  }

  void claimed(const journal_claimed& r) {
    if (auto at = all_.find({r.tree, r.node}); at == all_.end() || at->second.verdict_digest.empty())
      fault({r.tree, r.node}, "was put out before it was judged");
  }

  /// 2 to 4 once for each request: a call that was lost, or an answer of no use, is asked for again.
  static bool is_whole(const steps& s) {
    using enum journal_kind;
    const std::vector<journal_kind> request =
        s.asks ? std::vector{retrieved, asked, replied} : std::vector{replied};
    std::vector<journal_kind> due{stepped};
    do
      due.insert(due.end(), request.begin(), request.end());
    while (s.asks && due.size() + 1 < s.done.size());
    due.push_back(judged);
    return s.done == due;
  }

  void look_at_ends() {
    if (!finished_)
      faults_.push_back("nothing was put out: the journal has no `finished`");
    for (auto& [n, s] : all_) {
      if (!is_whole(s)) {
        std::string was;
        for (auto k : s.done)
          was += " " + std::string{to_text(k)};
        fault(n, "its steps were" + was);
      }
      if (s.found && s.found->looked_up == (s.found->documents == 0))
        fault(n, "its record of documents says nothing");
    }
  }

  const verdicts& verdict_of_;
  campaign_fold fold_;
  std::map<node, steps> all_;
  std::vector<std::string> faults_;
  std::uint64_t last_ms_ = 0;
  bool finished_ = false;
};

} // namespace ke::test
