#include "actors/campaign/node_rows.hpp"

#include "runtime/core/node_state.hpp"
#include "runtime/observe/trace.hpp"
#include "runtime/store/prompt_sections.hpp"

#include <string_view>
#include <vector>

namespace ke {

std::string node_rows::note_of(const node_key& n) const {
  auto row = rows_.find(n);
  return row == rows_.end() ? std::string{} : row->second.note;
}

node_key node_rows::planned(std::uint32_t tree, const expansion& what) {
  auto n = journal_.key(tree, what.node);
  auto& row = rows_[n];
  row.parents = {what.parent};
  if (what.parent2 != no_node)
    row.parents.push_back(what.parent2);
  row.model = what.model;
  row.memory = what.memory;
  row.planned_ms = journal_.wall_ms();
  return n;
}

void node_rows::assembled(store_batch& batch, const node_key& n, const std::string& plan) {
  const auto& index = journal_.tree(n.tree).tree();
  auto& row = rows_[n];
  row.parents = index.parents(n.node);
  row.memory = index[n.node].memory;
  row.note = plan;
  row.planned_ms = journal_.wall_ms();
  put(batch, n);
}

void node_rows::asked(store_batch& batch, const synthesis_request& request) {
  constexpr std::string_view document = "knowledge:";
  auto& row = rows_[request.node];
  std::vector<stored_section> sections;
  row.shown.clear();
  for (const auto& s : request.prompt.sections) {
    sections.push_back(s.stable || s.shared ? stored_section{stored(batch, s.text), {}, s.name}
                                            : stored_section{{}, s.text, s.name});
    if (s.name.starts_with(document))
      row.shown.push_back(s.name.substr(document.size()));
  }
  row.dropped = request.prompt.dropped;
  row.prompt_digest = request.prompt_digest;
  row.sections_digest = batch.blob(pack(sections));
  row.model = request.model;
  row.attempts = request.attempt;
  row.asked_ms = journal_.wall_ms();
  row.state = node_state::asked;
  put(batch, request.node);
}

std::string node_rows::stored(store_batch& batch, const shared_text& text) {
  constexpr std::size_t most = 64; // a text pool forgets what only this holds
  for (const auto& [known, digest] : stored_)
    if (known.is(text))
      return digest;
  if (stored_.size() == most)
    stored_.pop_front();
  return stored_.emplace_back(text, batch.blob(text.str())).second;
}

void node_rows::answered(const node_key& n, const std::string& note) {
  auto& row = rows_[n];
  row.note = note;
  row.answered_ms = journal_.wall_ms();
}

void node_rows::has_source(store_batch& batch, const node_key& n, const journal_replied& r) {
  auto& row = rows_[n];
  row.source_digest = r.source_digest;
  row.state = node_state::answered;
  if (auto first = journal_.tree(n.tree).first_like(r.normalised_digest, r.form_digest);
      first && *first != n.node)
    row.duplicate_of = *first;
  put(batch, n);
}

void node_rows::judged(const node_key& n, const journal_judged& r) {
  auto& row = rows_[n];
  auto targets = journal_.tree(n.tree).tree().targets();
  row.scores.resize(targets);
  row.verdict_digests.resize(targets);
  row.scores[r.target] = r.score;
  row.verdict_digests[r.target] = r.verdict_digest;
  row.device_s += r.device_s;
  row.judged_ms = journal_.wall_ms();
  row.decision = r.decision;
}

void node_rows::put(store_batch& batch, const node_key& n) {
  batch.put(table::nodes, key_of(n.campaign, n.tree, n.node), pack(rows_[n]));
}

void node_rows::cancelled(store_batch& batch, const node_key& n, const std::string& why) {
  auto& row = rows_[n];
  row.state = node_state::cancelled;
  row.note = why;
  put(batch, n);
  batch.put(table::hot, key_of(n.campaign, n.tree, n.node), pack(journal_.tree(n.tree).row(n.node)));
}

node_row node_rows::close(store_batch& batch, const node_key& n) {
  const auto& tree = journal_.tree(n.tree);
  auto& row = rows_[n];
  row.state = tree.tree()[n.node].state;
  row.decision = tree.tree()[n.node].decision; // over all targets
  put(batch, n);
  batch.put(table::hot, key_of(n.campaign, n.tree, n.node), pack(tree.row(n.node)));
  auto last = std::move(row);
  rows_.erase(n);
  crashes_.erase(n);
  return last;
}

void trace_life(const campaign_journal& journal, const node_key& n, const node_row& row) {
  if (!trace::on())
    return;
  auto lane = "node " + std::to_string(n.tree) + "." + std::to_string(n.node);
  auto span = [&](const char* name, std::uint64_t from, std::uint64_t to) {
    if (journal.is_of_this_session(from) && to >= from)
      trace::span(lane, name, journal.at(from), journal.at(to));
  };
  if (row.asked_ms > 0)
    span("prompt and commit", row.planned_ms, row.asked_ms);
  if (row.answered_ms > 0)
    span("model", row.asked_ms, row.answered_ms);
  if (row.judged_ms > 0 && row.answered_ms > 0)
    span("evaluate", row.answered_ms, row.judged_ms);
}

} // namespace ke
