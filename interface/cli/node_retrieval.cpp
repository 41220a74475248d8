#include "interface/cli/node_retrieval.hpp"

#include "interface/cli/figures.hpp"
#include "runtime/core/codec.hpp"
#include "runtime/core/journal.hpp"
#include "runtime/core/journal_record.hpp"

#include <algorithm>

namespace ke::cli {
namespace {

/// The first record at `ms` or later: campaign time never goes back.
std::uint64_t first_at(const campaign_view& c, std::uint64_t ms) {
  std::uint64_t low = 0, high = c.fold().records();
  while (low < high) {
    auto middle = low + (high - low) / 2;
    auto bytes = c.store().get(table::journal, journal_key(c.id(), middle));
    auto record = bytes ? unpack<journal_record>(*bytes) : result<journal_record>{bytes.error()};
    if (!record)
      return 0; // the scan from the first record on says what is wrong
    (record->wall_ms < ms ? low : high) = record->wall_ms < ms ? middle + 1 : middle;
  }
  return low;
}

std::string words_of(const std::vector<std::string>& names) {
  std::string text;
  for (const auto& n : names)
    text += ", " + n;
  return text;
}

std::string query_text(const campaign_view& c, const node_retrieval& r) {
  const auto& q = r.what;
  std::string asked = "nothing is known yet";
  if (q.diagnosed != 0)
    asked = "node " + std::to_string(c.public_id(q.tree, q.diagnosed)) + " is " +
            (!q.failure.empty()      ? q.failure
             : !q.bottleneck.empty() ? "limited by " + q.bottleneck
                                     : "right, its bottleneck unknown");
  return asked + (q.family.empty() ? "" : ", " + q.family) + ", " + q.language + words_of(q.dtypes) +
         words_of(q.targets) + ", level " + std::to_string(q.level) +
         (q.message.empty() ? "" : ": " + first_line(q.message, 120));
}

} // namespace

result<std::vector<node_retrieval>> retrievals_of(const campaign_view& c, const node_view& n) {
  std::vector<node_retrieval> all;
  if (n.row.asked_ms == 0 && n.row.prompt_digest.empty())
    return all;
  status wrong = ok;
  auto end =
      c.store().journal(c.id(), first_at(c, n.row.planned_ms), [&](std::uint64_t, const journal_record& r) {
        if (r.wall_ms > n.row.asked_ms)
          return false;
        if (r.kind != journal_kind::retrieved)
          return true;
        auto what = unpack<journal_retrieved>(r.body);
        if (!what)
          wrong = what.error();
        else if (what->tree == n.key.tree && what->node == n.key.node)
          all.push_back({std::move(*what), r.wall_ms});
        return static_cast<bool>(wrong);
      });
  if (!wrong || !end)
    return wrong ? end.error() : wrong.error();
  return all;
}

result<std::vector<node_repeat>> repeats_of(const campaign_view& c, const node_view& n) {
  std::vector<node_repeat> all;
  if (n.row.attempts < 2)
    return all;
  status wrong = ok;
  auto last = std::max({n.row.asked_ms, n.row.answered_ms, n.row.judged_ms});
  auto end =
      c.store().journal(c.id(), first_at(c, n.row.planned_ms), [&](std::uint64_t, const journal_record& r) {
        if (r.wall_ms > last)
          return false;
        if (r.kind != journal_kind::replied)
          return true;
        auto said = unpack<journal_replied>(r.body);
        if (!said)
          wrong = said.error();
        else if (said->tree == n.key.tree && said->node == n.key.node &&
                 said->kind == failure_kind::duplicate)
          all.push_back({said->attempt, c.public_id(said->tree, said->repeats)});
        return static_cast<bool>(wrong);
      });
  if (!wrong || !end)
    return wrong ? end.error() : wrong.error();
  return all;
}

std::string retrieval_text(const campaign_view& c, const node_retrieval& r) {
  const auto& w = r.what;
  auto text = "documents for request " + std::to_string(w.attempt) + ": " + query_text(c, r) + "\n";
  if (!w.looked_up)
    return text + "  none were looked up: its model reads the ke-task block alone\n";
  text += "  " + std::to_string(w.documents) + " fit machine, language, family, dtype and level; the best" +
          (w.by_meaning ? ", by words and meaning:\n" : ":\n");
  for (const auto& d : w.candidates) {
    auto fate = d.fate == document_fate::shown     ? "shown  "
                : d.fate == document_fate::no_room ? "no room"
                                                   : "lower  ";
    text += std::string{"  "} + fate + "  " + fixed(d.score / 1000.0, 3) + "  " + d.id +
            (d.named ? " (a sub-agent's choice)" : "") + "\n";
  }
  return text;
}

} // namespace ke::cli
