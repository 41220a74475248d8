#include "actors/campaign/node_contexts.hpp"

#include "runtime/core/device_info.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/core/settings.hpp"
#include "runtime/llm/provider.hpp"
#include "runtime/search/index/history.hpp"
#include "runtime/search/policy/answer_kinds.hpp"

#include <algorithm>

namespace ke {
namespace {

constexpr std::size_t most_tried_shown = 16;
constexpr std::size_t most_tried_read = 4096; ///< by a playbook

using tried_sources = std::shared_ptr<const std::vector<std::string>>;

bool is_below(const tree_index& index, std::uint32_t node, std::uint32_t ancestor) {
  for (; node != no_node; node = index[node].parent)
    if (node == ancestor)
      return true;
  return false;
}

/// Only the playbook reads the whole list; a model would pay for noise.
std::size_t most_tried(const campaign_settings& settings) {
  auto plays = std::any_of(settings.models.begin(), settings.models.end(),
                           [](const auto& m) { return traits_of(m.provider).task_only; });
  return plays ? most_tried_read : most_tried_shown;
}

/// Ordinals of the node and of its open siblings among their parent's children, from the youngest down: open
/// nodes are near it.
void note_siblings(node_context& b, const tree_index& index, std::uint32_t node) {
  const auto& parent = index[b.what.parent];
  auto place = parent.children;
  for (auto c = parent.first_child; c != no_node; c = index[c].next_sibling) {
    --place;
    if (c == node)
      b.ordinal = place;
    else if (is_open(index[c].state) && b.in_flight.size() < most_siblings)
      b.in_flight.push_back(place);
    else if (c < node)
      break;
  }
}

node_context context_of(const campaign_journal& journal, const node_rows& rows, const node_key& n,
                        const tried_sources& tried, std::shared_ptr<const device_info> facts) {
  const auto& tree = journal.tree(n.tree);
  const auto& index = tree.tree();
  node_context b;
  b.what = tree.expansion_of(n.node);
  b.phase = index[n.node].state;
  b.attempt = index[n.node].attempts + 1u;
  if (b.phase == node_state::asked && !tree.call(n.node, index[n.node].attempts))
    b.phase = node_state::planned; // its call ended without an answer: ask again
  history past;
  if (b.what.operation != operation_kind::draft)
    past = history_of(index, b.what.parent, n.node);
  b.archive = archive_beside(index, b.what.parent, past);
  b.ancestors = std::move(past.ancestors);
  b.siblings = std::move(past.siblings);
  b.uncles = std::move(past.uncles);
  note_siblings(b, index, n.node);
  b.stalled = is_stagnant(index[n.node].situation);
  if (b.phase == node_state::planned && b.attempt > 1)
    b.repair = rows.note_of(n);
  if (!asks_nobody(b.what.operation)) {
    b.repairs = traits_of(journal.model(b.what.model).provider).may_repair;
    b.form = answer_kind_of(journal.settings().search, b.what.operation, b.what.seed);
    if (b.repairs)
      b.resamples = static_cast<std::uint32_t>(journal.settings().search.resample);
    b.prompt_tokens = prompt_budget(journal.settings(), b.what.model);
  }
  b.tried = tried;
  for (const auto& [at, text] : journal.books().hints())
    if (auto place = at.empty() ? 0u : static_cast<std::uint32_t>(std::stoul(at) / journal.trees().size());
        is_below(index, n.node, place))
      b.hints.push_back(text);
  b.target = std::move(facts);
  return b;
}

} // namespace

std::map<std::uint32_t, expand> contexts_of(const campaign_journal& journal, const node_rows& rows,
                                            target_devices& devices, const std::vector<node_key>& nodes) {
  std::map<std::uint32_t, expand> by_tree;
  std::map<std::uint32_t, tried_sources> tried;
  for (const auto& n : nodes) {
    if (!is_open(journal.state_of(n)))
      continue;
    const auto& tree = journal.tree(n.tree);
    auto& t = tried[n.tree];
    if (!t)
      t = std::make_shared<const std::vector<std::string>>(tree.tried(most_tried(journal.settings())));
    by_tree[n.tree].nodes.push_back(context_of(journal, rows, n, t, devices.facts_of(tree.backend())));
  }
  return by_tree;
}

} // namespace ke
