#include "actors/campaign/repeated_answer.hpp"

#include "actors/campaign/campaign_journal.hpp"
#include "actors/messages/node_messages.hpp"
#include "runtime/core/journal.hpp"
#include "runtime/core/node_state.hpp"

#include <cstdio>

namespace ke {
namespace {

/// As holds_elsewhere: measured again, it would be the same.
bool is_known_by(node_state s) {
  return has_verdict(s) && s != node_state::noisy && s != node_state::timeout &&
         s != node_state::harness_error && s != node_state::unfit_problem;
}

/// What became of it. A score is told only where the prompt tells scores anyway: first versions must be asked
/// with the same words when a campaign is replayed.
std::string fate_of(const tree_row& row, bool is_draft) {
  std::string text{to_text(row.state)};
  if (is_draft || row.score <= 0)
    return text;
  char score[32];
  std::snprintf(score, sizeof score, ", score %.2f", row.score);
  return text + score;
}

} // namespace

std::optional<repeated_answer> repeated_by(const campaign_journal& journal, const answered& a,
                                           const journal_replied& r) {
  if (!a.waits || a.why.kind != failure_kind::none)
    return std::nullopt;
  const auto& tree = journal.tree(a.node.tree);
  auto first = tree.first_like(r.normalised_digest, r.form_digest);
  if (!first || *first == a.node.node || !is_known_by(tree.tree()[*first].state))
    return std::nullopt;
  const auto& mine = tree.tree()[a.node.node];
  auto which = *first == mine.parent ? "the candidate that it was to change, node " : "node ";
  return repeated_answer{*first,
                         "duplicate: it is the same program as " + (which + std::to_string(*first)) +
                             ", but for comments, blanks and names of variables, and that one is known: " +
                             fate_of(tree.tree()[*first], mine.operation == operation_kind::draft) +
                             ". Write one that works in another way."};
}

journal_replied repeat_of(journal_replied r, std::uint32_t first) {
  r.kind = failure_kind::duplicate;
  r.repeats = first;
  r.descriptor = 0;
  return r;
}

} // namespace ke
