#include "interface/cli/node_json.hpp"

#include "backends/verdict/verdict_rules.hpp"
#include "interface/cli/json_values.hpp"
#include "interface/cli/node_evidence.hpp"
#include "interface/cli/node_retrieval.hpp"
#include "runtime/core/digest.hpp"
#include "runtime/core/evidence.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/rows.hpp"
#include "runtime/core/timing_decision.hpp"
#include "runtime/core/token_usage.hpp"
#include "runtime/core/verdict.hpp"
#include "runtime/text/json_line.hpp"

#include <nlohmann/json.hpp>

#include <ostream>

namespace ke::cli {
namespace {

using json = nlohmann::ordered_json;

json text_of(const result<std::string>& text) {
  return text ? text_or_null(*text) : json(nullptr);
}

json node_fields(const campaign_view& c, const node_view& n) {
  auto parents = json::array(), scores = json::array();
  for (auto p : n.row.parents)
    parents.push_back(c.public_id(n.key.tree, p));
  for (const auto& s : n.row.scores)
    scores.push_back(number_or_null(s));
  return {
      {"id", n.id},
      {"parents", parents},
      {"state", to_text(n.state)},
      {"score", number_or_null(n.score)},
      {"scores", scores},
      {"decision", n.decision == timing_decision::none ? json(nullptr) : json(to_text(n.decision))},
      {"model", text_or_null(n.row.model)},
      {"memory", n.is_root() ? json(nullptr) : json(to_text(n.row.memory))},
      {"prompt", text_or_null(n.row.prompt_digest)},
      {"source", n.is_root() ? json(digest_of(c.problem().reference)) : text_or_null(n.row.source_digest)},
      {"duplicate_of",
       n.row.duplicate_of == no_node ? json(nullptr) : json(c.public_id(n.key.tree, n.row.duplicate_of))}};
}

json usage_json(const token_usage& u) {
  return {{"input_tokens", u.input_tokens},
          {"output_tokens", u.output_tokens},
          {"cached_tokens", u.cached_tokens},
          {"usd", u.usd}};
}

json calls_json(const campaign_view& c, const node_view& n) {
  auto all = json::array();
  for (const auto& [call, attempt, of_agent] : c.calls_of(n))
    all.push_back({{of_agent ? "agent_call" : "attempt", attempt},
                   {"model", call.model},
                   {"prompt", text_or_null(call.prompt_digest)},
                   {"reply", text_or_null(call.reply_digest)},
                   {"open", call.open},
                   {"sent_unix_ms", call.sent_unix_ms},
                   {"seconds", call.seconds},
                   {"reserved", {{"tokens", call.reserved.tokens}, {"usd", call.reserved.usd}}}});
  return all;
}

json retrieval_json(const campaign_view& c, const node_view& n) {
  auto all = json::array();
  auto found = retrievals_of(c, n);
  if (!found)
    return nullptr; // `store check` says what is wrong with the journal
  for (const auto& [r, wall_ms] : *found) {
    auto candidates = json::array();
    for (const auto& d : r.candidates)
      candidates.push_back({{"id", d.id},
                            {"score", d.score / 1000.0},
                            {"fate", to_text(d.fate)},
                            {"named_by_agent", d.named}});
    all.push_back({{"attempt", r.attempt},
                   {"retrieved_ms", wall_ms},
                   {"query",
                    {{"diagnosed", r.diagnosed ? json(c.public_id(r.tree, r.diagnosed)) : json(nullptr)},
                     {"bottleneck", text_or_null(r.bottleneck)},
                     {"failure", text_or_null(r.failure)},
                     {"message", text_or_null(r.message)},
                     {"family", text_or_null(r.family)},
                     {"dtypes", r.dtypes},
                     {"targets", r.targets},
                     {"language", r.language},
                     {"level", r.level}}},
                   {"looked_up", r.looked_up},
                   {"by_meaning", r.by_meaning},
                   {"documents", r.documents},
                   {"candidates", candidates}});
  }
  return all;
}

json repeats_json(const campaign_view& c, const node_view& n) {
  auto all = json::array();
  auto found = repeats_of(c, n);
  if (!found)
    return nullptr;
  for (const auto& r : *found)
    all.push_back({{"attempt", r.attempt}, {"of", r.of}});
  return all;
}

/// What the judge saw of each target. Samples are left out: they are many, and the verdict sums them up; artifacts,
/// too: `--artifact` prints them.
json evidence_json(const campaign_view& c, const node_view& n) {
  auto all = json::array();
  each_evidence(c, n, [&](std::uint32_t target, measured_for what, const evidence& e) {
    auto flags = json::array();
    for (const auto& f : e.flags)
      flags.push_back({{"name", f.name}, {"evidence", f.evidence}});
    all.push_back({{"target", target},
                   {"claim", what != measured_for::search},
                   {"ending", to_text(e.ending)},
                   {"reason", e.reason},
                   {"device", e.device},
                   {"cases", e.cases},
                   {"timed_calls", e.timed_calls},
                   {"failed", e.failed},
                   {"flags", flags},
                   {"launches", e.launches.size()},
                   {"counters", e.counters},
                   {"findings", e.findings},
                   {"build_s", number_or_null(e.build_s)},
                   {"check_s", number_or_null(e.check_s)},
                   {"time_s", number_or_null(e.time_s)},
                   {"provenance", e.provenance},
                   {"log", e.log}});
    if (what == measured_for::second_device)
      all.back()["second_device"] = true;
  });
  return all;
}

} // namespace

std::string node_json(const campaign_view& c, const node_view& n) {
  return json_line(node_fields(c, n));
}

status write_tree_json(const campaign_view& c, tree_range range, std::ostream& out) {
  out << "{\"nodes\": [";
  std::uint64_t written = 0;
  status done = ok;
  if (range.limit > 0)
    done = c.each(range.since, [&](const node_view& n) {
      out << (written ? ",\n" : "\n") << node_json(c, n);
      return ++written < range.limit && static_cast<bool>(out);
    });
  out << "\n]}\n";
  return done;
}

std::string node_report_json(const campaign_view& c, const node_view& n) {
  auto j = node_fields(c, n);
  j["campaign"] = c.name();
  j["backend"] = c.fold().trees()[n.key.tree].backend();
  j["operation"] =
      n.is_root() ? json(nullptr) : json(to_text(c.fold().trees()[n.key.tree].tree()[n.key.node].operation));
  j["note"] = n.row.note;
  j["documents"] = n.row.shown;
  j["dropped"] = n.row.dropped;
  j["retrieval"] = retrieval_json(c, n);
  j["report"] = c.report_of(n);
  j["attempts"] = n.row.attempts;
  if (n.row.attempts > 1)
    j["repeats"] = repeats_json(c, n);
  j["usage"] = usage_json(n.row.usage);
  j["device_s"] = n.row.device_s;
  j["planned_ms"] = n.row.planned_ms;
  j["asked_ms"] = n.row.asked_ms;
  j["answered_ms"] = n.row.answered_ms;
  j["judged_ms"] = n.row.judged_ms;
  j["prompt_text"] = text_of(c.prompt_of(n));
  j["answer_text"] = n.row.reply_digest.empty() ? json(nullptr) : text_of(c.store().blob(n.row.reply_digest));
  j["source_text"] = text_of(c.source_of(n));
  auto verdicts = json::array();
  for (std::size_t target = 0; target < n.row.verdict_digests.size(); ++target)
    if (auto v = c.verdict_of(n, target))
      verdicts.push_back(json::parse(verdict_json(*v)));
    else
      verdicts.push_back(nullptr);
  j["verdict"] = verdicts.empty() ? json(nullptr) : verdicts.front();
  j["verdicts"] = verdicts;
  j["evidence"] = evidence_json(c, n);
  j["calls"] = calls_json(c, n);
  return json_line(j);
}

} // namespace ke::cli
