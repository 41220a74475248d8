#include "actors/campaign/campaign_router.hpp"
#include "actors/knowledge/skill_learner.hpp"
#include "actors/messages/addresses.hpp"
#include "runtime/core/node_key.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/core/rows.hpp"
#include "runtime/search/campaign/dispatchers.hpp"

namespace ke {
namespace {

constexpr std::size_t longest_way = 64;
constexpr std::chrono::seconds patience_with_learning{
    5}; ///< with the knowledge actor; it may be being restarted

} // namespace

/// The way to what a claim has confirmed becomes skills before the campaign says that it is finished: a
/// process that ends with its campaign would lose them. False: there is nothing to learn, or nobody to ask.
bool campaign_router::begin_learning() {
  const auto* winner = journal_.books().claims().champion(journal_.settings().goal.timed);
  if (!winner)
    return false;
  auto [tree, node] = winner->who;
  const auto& index = journal_.tree(tree).tree();
  if (is_dispatcher(index[node]))
    return false; // no edit of a kernel led to it, and what its parts have gained was not claimed
  learn l{options_.id,
          tree,
          journal_.settings().name,
          {},
          journal_.stored().problem,
          {},
          devices_.facts_of(journal_.tree(tree).backend()),
          {},
          {}};
  for (const auto& measured : winner->targets)
    l.claim_verdicts.push_back(measured.verdict_digest);
  for (auto n = node; n != 0 && n != no_node && l.chain.size() < longest_way; n = index[n].parent) {
    l.chain.insert(l.chain.begin(), n);
    l.seeded = index[n].operation == operation_kind::seed; // of the first, a child of the root
  }
  l.language = journal_.language_of(tree);
  l.done = [me = weak(self_)] { send_weak(me, lineage_learnt{}); };
  if (!options_.names->send(addresses::knowledge, std::move(l)))
    return false;
  after(self_, patience_with_learning, lineage_learnt{});
  return true;
}

/// What became of a prompt that showed skills, or showed none: of improvements, for a skill says how to gain on
/// a parent, and of repairs, for those that say how to mend one.
void campaign_router::tell_use(const node_key& n, const node_row& row, double noise) {
  const auto& index = journal_.tree(n.tree).tree();
  const auto& node = index[n.node];
  auto repairs = node.operation == operation_kind::fix;
  if ((!repairs && node.operation != operation_kind::improve) || !has_verdict(node.state))
    return;
  skills_used u;
  u.repairs = repairs;
  for (const auto& id : row.shown)
    if (id.starts_with("skill/"))
      u.ids.push_back(id);
  u.won =
      node.state == node_state::correct && (repairs || node.score > index[node.parent].score * (1 + noise));
  options_.names->send(addresses::knowledge, std::move(u));
}

} // namespace ke
