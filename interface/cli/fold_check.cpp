#include "interface/cli/fold_check.hpp"

#include "runtime/core/node_state.hpp"
#include "runtime/core/rows.hpp"
#include "runtime/store/record.hpp"

namespace ke::cli {
namespace {

constexpr std::size_t differences_kept = 50;

class comparer {
public:
  comparer(const store_reader& store, const stored_campaign& c, bool live, fold_comparison& into)
      : store_{store}, campaign_{c}, live_{live}, into_{into} {}

  void run() {
    compare_campaign();
    for (const auto& core : campaign_.fold.trees()) {
      into_.tree_hashes.push_back(core.hash());
      compare_tree(core);
    }
  }

private:
  void differ(std::string text) {
    if (++into_.difference_count <= differences_kept)
      into_.differences.push_back(std::move(text));
  }

  std::string name_of(const search_tree& core, std::uint32_t node) const {
    return "node " + std::to_string(campaign_.row.id) + "." + std::to_string(core.number()) + "." +
           std::to_string(node);
  }

  /// The row is a cache that is written with every ended node; at the end of a campaign it is exact.
  void compare_campaign() {
    const auto& row = campaign_.row;
    auto folded = campaign_.fold.row(row.id);
    if (row.trees != folded.trees)
      differ("its row names other trees than its journal");
    if (row.problem_digest != folded.problem_digest)
      differ("its row names another problem than its journal");
    if (!live_ && (row.state == "finished") != (folded.state == "finished"))
      differ("its row says " + row.state + ", its journal " + folded.state);
    if (row.state != "finished" || folded.state != "finished")
      return;
    if (row.stop_reason != folded.stop_reason)
      differ("its row says that it stopped by " + row.stop_reason + ", its journal by " + folded.stop_reason);
    if (row.states != folded.states)
      differ("its row counts other node states than its journal");
    if (row.failures != folded.failures || row.requests != folded.requests || !(row.spend == folded.spend) ||
        row.device_s != folded.device_s)
      differ("its row has other spending or failures than its journal");
    if (row.best_tree != folded.best_tree || row.best_node != folded.best_node ||
        row.best_score != folded.best_score)
      differ("its row names another best node than its journal");
  }

  void compare_tree(const search_tree& core) {
    const auto& tree = core.tree();
    into_.nodes += tree.size() - 1;
    into_.ended += tree.ended();
    std::uint64_t ended_rows = 0;
    auto prefix = key_of(campaign_.row.id, core.number(), 0).substr(0, 8);
    auto read = store_.rows<node_row>(table::nodes, prefix, [&](std::string_view key, const node_row& row) {
      auto node = static_cast<std::uint32_t>(number_of(key.substr(8, 4)));
      if (node == 0 || node >= tree.size()) {
        if (!live_)
          differ(name_of(core, node) + " has a row, but the journal makes " + std::to_string(tree.size()) +
                 " nodes");
        return true;
      }
      ended_rows += !is_open(row.state) && !is_open(tree[node].state);
      compare_node(core, node, row);
      return true;
    });
    if (!read)
      differ(read.error().text);
    if (ended_rows < tree.ended())
      differ("tree " + std::to_string(core.number()) + " has rows for " + std::to_string(ended_rows) +
             " of " + std::to_string(tree.ended()) + " ended nodes");
  }

  void compare_node(const search_tree& core, std::uint32_t node, const node_row& row) {
    const auto& folded = core.tree()[node];
    if (is_open(folded.state)) {
      if (!is_open(row.state) && !live_)
        differ(name_of(core, node) + " is " + std::string{to_text(row.state)} +
               " in its row, but its journal does not end it");
      return;
    }
    if (row.state != folded.state)
      return differ(name_of(core, node) + " is " + std::string{to_text(row.state)} + " in its row and " +
                    std::string{to_text(folded.state)} + " in the journal");
    if (row.parents != core.tree().parents(node))
      differ(name_of(core, node) + " has other parents in its row than in the journal");
    for (std::uint32_t target = 0; target < core.tree().targets() && target < row.scores.size(); ++target)
      if (has_verdict(row.state) && row.scores[target] != core.tree().score(node, target))
        differ(name_of(core, node) + " has another score in its row than in the journal");
    if (live_)
      return;
    auto hot = store_.row<hot_row>(table::hot, key_of(campaign_.row.id, core.number(), node));
    if (!hot)
      return differ(name_of(core, node) + " has no index row: " + hot.error().text);
    auto now = core.row(node); // what was beneath it when it ended is not known any more
    now.visits = hot->visits;
    now.value = hot->value;
    if (!(*hot == now))
      differ(name_of(core, node) + " is another one in its index row than in the journal");
  }

  const store_reader& store_;
  const stored_campaign& campaign_;
  bool live_;
  fold_comparison& into_;
};

/// Compares the image, a cache of the fold, with the new fold.
void compare_image(const store_reader& store, std::uint32_t campaign, fold_comparison& into) {
  auto start = read_folded_start(store, campaign);
  if (start.records == 0)
    return;
  auto quick = read_stored_campaign(store, campaign, std::move(start));
  if (quick && (*quick)->fold.hash() == into.hash)
    return;
  ++into.difference_count;
  into.differences.push_back(quick ? "its image leads to another state than its journal; delete " +
                                         image_path(store.dir(), campaign)
                                   : quick.error().text);
}

} // namespace

result<fold_comparison> compare_fold(const store_reader& store, std::uint32_t campaign) {
  auto live = store.owner().has_value();
  auto stored = read_stored_campaign(store, campaign);
  if (!stored)
    return stored.error();
  if (!(*stored)->fold.configured())
    return failure{failure_kind::corrupt, "campaign " + (*stored)->row.name + " has no journal"};
  fold_comparison c;
  c.records = (*stored)->fold.records();
  c.hash = (*stored)->fold.hash();
  comparer{store, **stored, live, c}.run();
  if (!live)
    compare_image(store, campaign, c);
  return c;
}

std::vector<std::string> fold_problems(const store_reader& store, std::uint32_t campaign) {
  auto compared = compare_fold(store, campaign);
  if (!compared)
    return {compared.error().text};
  auto all = compared->differences;
  if (compared->difference_count > all.size())
    all.push_back("and " + std::to_string(compared->difference_count - all.size()) + " more differences");
  return all;
}

} // namespace ke::cli
