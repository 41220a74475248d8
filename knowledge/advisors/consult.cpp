#include "knowledge/advisors/consult.hpp"

#include "knowledge/prompt/node_summary.hpp"
#include "knowledge/prompt/quote.hpp"
#include "knowledge/prompt/redacted.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/timing_decision.hpp"
#include "runtime/text/candidate_language.hpp"

#include <algorithm>
#include <cmath>

namespace ke {
namespace {

constexpr std::size_t message_limit = 2048;

/// A skill's title is what a model once planned: quoted, not said.
passage passage_of(const document& d, std::string text) {
  return {d.id, d.kind == document_kind::skill ? in_line(d.title) : d.title,
          std::make_shared<const std::string>(std::move(text))};
}

/// A rule's first paragraph says it, with the list that it introduces; the rest explains.
std::string first_paragraph(const std::string& body) {
  auto end = body.find("\n\n");
  if (end != std::string::npos && end > 0 && body[end - 1] == ':')
    end = body.find("\n\n", end + 2);
  auto text = body.substr(0, end);
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

std::int32_t thousandths(double score) {
  return static_cast<std::int32_t>(std::lround(score * 1000));
}

/// One line.
std::string beginning_of(std::string_view message) {
  std::string text{head(message, most_query_text)};
  std::replace(text.begin(), text.end(), '\n', ' ');
  return text;
}

} // namespace

signal_query query_of(const prompt_request& r, bool stalled) {
  signal_query q;
  q.family = r.problem->family;
  for (const auto& t : r.problem->tensors)
    if (auto name = std::string{to_text(t.dtype)};
        std::find(q.dtypes.begin(), q.dtypes.end(), name) == q.dtypes.end())
      q.dtypes.push_back(name);
  q.targets = targets_of(*r.target);
  q.language = r.language->name;
  q.reference = r.problem->reference;
  q.stalled = stalled;
  q.with_constraints = false;
  if (!r.parent)
    return q;
  const auto& c = *r.parent;
  q.depth = static_cast<std::uint32_t>(r.ancestors.size()) + 1;
  if (c.state == node_state::correct || c.state == node_state::noisy) {
    if (c.decision == timing_decision::slower)
      q.message = "decision slower\n";
    if (c.diagnosis) {
      q.bottleneck = c.diagnosis->bottleneck;
      q.cause = c.diagnosis->cause;
      for (const auto& [name, value] : c.diagnosis->evidence)
        q.message += name + ": " + value + "\n";
    }
  } else {
    q.failure = to_text(c.state);
    q.message = redacted(*r.problem, c) + "\n" + redacted(*r.problem, c, c.log);
  }
  q.message.resize(std::min(q.message.size(), message_limit));
  return q;
}

journal_retrieved not_consulted(const prompt_request& r, bool stalled) {
  auto q = query_of(r, stalled);
  journal_retrieved record;
  record.diagnosed = r.parent ? r.parent->node : 0;
  record.bottleneck = q.bottleneck;
  record.failure = q.failure;
  record.family = q.family;
  record.dtypes = q.dtypes;
  record.targets = q.targets;
  record.language = q.language;
  record.level = open_level(q.depth, q.stalled);
  return record;
}

journal_retrieved consult(const corpus& library, prompt_request& r, bool stalled, const embedding& wanted,
                          const std::vector<embedding>& vectors) {
  auto q = query_of(r, stalled);
  for (const auto* d : constraints_for(library, q))
    if (!d->id.starts_with("constraints/abi/")) // the task says which form a candidate has
      r.constraints.push_back(passage_of(*d, first_paragraph(d->body)));
  auto record = not_consulted(r, stalled);
  record.message = beginning_of(q.message);
  record.looked_up = true;
  record.by_meaning = is_by_meaning(library, wanted, vectors);
  record.documents = static_cast<std::uint32_t>(admitted(library, q).size());
  auto add = [&](const document& d, double score, bool named) {
    auto& all = record.candidates;
    auto is_shown = r.knowledge.size() < most_passages;
    if (auto known = std::find_if(all.begin(), all.end(), [&](const auto& c) { return c.id == d.id; });
        known != all.end()) {
      known->score = thousandths(score);
    } else if (all.size() < most_candidate_documents) {
      all.push_back(
          {d.id, thousandths(score), is_shown ? document_fate::shown : document_fate::lower, named});
      if (is_shown)
        r.knowledge.push_back(passage_of(d, d.body));
    }
  };
  for (const auto& id : r.chosen)
    if (const auto* d = library.find(id)) // a skill may have been withdrawn since
      add(*d, 0, true);
  for (const auto& found : retrieve_mixed(library, q, wanted, vectors, most_candidate_documents))
    add(*found.document, found.score, false);
  return record;
}

void note_dropped(journal_retrieved& record, const prompt& made) {
  for (const auto& name : made.dropped)
    for (auto& c : record.candidates)
      if (name == section_of_document + c.id)
        c.fate = document_fate::no_room;
}

} // namespace ke
