#include "interface/cli/trajectory_step.hpp"

#include "interface/cli/trajectories.hpp"
#include "interface/cli/trajectory_text.hpp"
#include "runtime/core/digest.hpp"
#include "runtime/core/evidence.hpp"
#include "runtime/core/geometric_mean.hpp"
#include "runtime/core/model_settings.hpp"
#include "runtime/core/node_key.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/solution.hpp"
#include "runtime/core/token_usage.hpp"
#include "runtime/core/verdict.hpp"
#include "runtime/core/verdict_state.hpp"
#include "runtime/observe/log.hpp"
#include "runtime/text/json_line.hpp"
#include "runtime/text/text_diff.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cmath>

namespace ke::cli {
namespace {

using json = nlohmann::ordered_json;

constexpr std::size_t step_log_limit = 4096;

/// Always a number with a point in it, so that a column has one type.
json real(double x) {
  return std::isfinite(x) ? x : 0.0;
}

json integer(std::uint64_t x) {
  return static_cast<std::int64_t>(std::min<std::uint64_t>(x, INT64_MAX));
}

std::string flag_names(const std::vector<integrity_flag>& flags) {
  std::string text;
  for (const auto& f : flags)
    text += (text.empty() ? "" : ",") + f.name;
  return text;
}

const model_settings& model_of(const campaign_view& c, const std::string& name) {
  static const model_settings unknown{.name = "", .provider = provider_kind::spool};
  for (const auto& m : c.settings().models)
    if (m.name == name)
      return m;
  return unknown;
}

std::vector<verdict> verdicts_of(const campaign_view& c, const node_view& n) {
  std::vector<verdict> all;
  for (std::size_t t = 0; t < n.row.verdict_digests.size(); ++t)
    if (auto v = c.verdict_of(n, t))
      all.push_back(std::move(*v));
  return all;
}

/// The verdict that a line tells of: the first that is not correct, else the first.
const verdict& telling(const std::vector<verdict>& all) {
  static const verdict none;
  for (const auto& v : all)
    if (v.state != verdict_state::correct)
      return v;
  return all.empty() ? none : all.front();
}

void put_verdict(json& j, const node_view& n, const std::vector<verdict>& all) {
  const auto& v = telling(all);
  j["state"] = to_text(n.state);
  j["decision"] = to_text(n.decision);
  j["scored"] = n.score.has_value();
  j["score"] = real(n.score.value_or(0));
  auto timed = !all.empty() && std::all_of(all.begin(), all.end(), [](const verdict& one) {
    return one.timing && one.timing->speedup > 0 && one.timing->low > 0 && one.timing->high > 0;
  });
  auto mean = [&](double timing_summary::* part) {
    return timed ? *geometric_mean(all, [&](const verdict& one) { return *one.timing.*part; }) : 0.0;
  };
  const auto t = v.timing.value_or(timing_summary{});
  j["timed"] = timed;
  j["speedup"] = real(mean(&timing_summary::speedup));
  j["speedup_low"] = real(mean(&timing_summary::low));
  j["speedup_high"] = real(mean(&timing_summary::high));
  j["candidate_ns"] = real(t.candidate_ns);
  j["reference_ns"] = real(t.reference_ns);
  j["pairs"] = t.pairs;
  j["launches"] = t.launches;
  j["cases"] = v.cases;
  j["timed_calls"] = v.timed_calls;
  j["timed_calls_checked"] = v.timed_calls_checked;
  j["failed"] = v.failed;
  j["worst_scaled_error"] = real(v.worst_scaled_error);
  j["flags"] = flag_names(v.flags);
  j["device"] = v.device;
  j["reason"] = log::masked(v.reason);
  j["log"] = log::masked(v.log.substr(0, step_log_limit));
  const auto d = v.diagnosis.value_or(diagnosis{});
  j["bottleneck"] = d.bottleneck;
  j["bottleneck_confidence"] = real(d.confidence);
  j["roofline_fraction"] = real(d.roofline_fraction.value_or(0));
  j["diagnosis_evidence"] = log::masked(json_line(json(d.evidence)));
  j["build_s"] = real(v.build_s);
  j["check_s"] = real(v.check_s);
  j["time_s"] = real(v.time_s);
}

void put_reward(json& j, const node_view& n, const std::vector<verdict>& all, const step_group& group) {
  auto r = reward(all);
  if (n.state == node_state::unanswered) // an answer without usable code
    r = {true, 0, 0, 0};
  j["rewarded"] = r.defined;
  j["reward"] = real(r.value);
  j["reward_point"] = real(r.point);
  j["reward_high"] = real(r.high);
  j["group_size"] = integer(group.size);
  j["group_mean"] = real(group.mean);
  j["group_std"] = real(group.deviation);
  j["advantage"] = real(r.defined ? group.advantage(r.value) : 0);
}

void put_claim(json& j, const campaign_view& c, const node_view& n) {
  const auto* claim = c.claim_on(n.key);
  j["claimed"] = claim != nullptr;
  j["claim_confirmed"] = claim && claim->confirmed(c.settings().goal.timed);
  j["claim_score"] = real(claim ? claim->score() : 0);
}

void put_cost(json& j, const campaign_view& c, const node_view& n) {
  double seconds = 0;
  token_usage paid; // of all its calls: an answer that could not be used may have been asked for again
  for (const auto& [call, attempt, of_agent] : c.calls_of(n)) {
    if (of_agent) // what it found serves other nodes, too
      continue;
    seconds += call.seconds;
    paid += call.usage;
  }
  if (paid.input_tokens + paid.output_tokens < n.row.usage.input_tokens + n.row.usage.output_tokens)
    paid = n.row.usage;
  j["input_tokens"] = integer(paid.input_tokens);
  j["output_tokens"] = integer(paid.output_tokens);
  j["cached_tokens"] = integer(paid.cached_tokens);
  j["usd"] = real(paid.usd);
  j["model_s"] = real(seconds);
  j["device_s"] = real(n.row.device_s);
  j["planned_ms"] = integer(n.row.planned_ms);
  j["judged_ms"] = integer(n.row.judged_ms);
}

/// Prompt, answer, source and diff.
status put_texts(json& j, const campaign_view& c, const node_view& n, const model_settings& model) {
  auto sections = sections_of(c, n);
  if (!sections)
    return sections.error();
  j["prompt_sections"] = json::array();
  std::string text;
  for (const auto& s : *sections) {
    j["prompt_sections"].push_back({{"name", s.name}, {"digest", s.digest}, {"text", log::masked(s.text)}});
    text += s.text;
  }
  j["prompt_digest"] =
      sections->empty() ? n.row.prompt_digest : digest_of(text); // of the text as it was, whole
  auto body =
      n.row.reply_digest.empty() ? result<std::string>{std::string{}} : c.store().blob(n.row.reply_digest);
  if (!body)
    return body.error();
  auto answer = answer_of(model, *body);
  j["answer_digest"] = n.row.reply_digest;
  j["answer"] = log::masked(answer);
  j["rationale"] = log::masked(rationale_of(answer));
  j["note"] = log::masked(n.row.note);
  auto source = n.row.source_digest.empty() ? result<std::string>{std::string{}} : c.source_of(n);
  if (!source)
    return source.error();
  auto parent = c.node(node_key{n.key.campaign, n.key.tree, n.row.parents.empty() ? 0 : n.row.parents[0]});
  if (!parent)
    return parent.error();
  auto before = c.source_of(*parent);
  if (!before && before.error().kind != failure_kind::not_found)
    return before.error();
  j["source_digest"] = n.row.source_digest;
  j["source"] = log::masked(*source);
  j["parent_source_digest"] = parent->is_root() ? digest_of(*before) : parent->row.source_digest;
  j["diff"] = source->empty() || !before
                  ? std::string{}
                  : log::masked(unified_diff(*before, *source, "node " + std::to_string(parent->id),
                                             "node " + std::to_string(n.id)));
  return ok;
}

} // namespace

trajectory_origin origin_of(const campaign_view& c) {
  const auto& p = c.problem();
  auto name = operator_of(p);
  return {c.store().id(),
          c.name(),
          p.name,
          c.fold().books().problem_digest(),
          p.family,
          name,
          std::string{split_of(name)},
          c.id()};
}

void put_origin(json& j, const trajectory_origin& from) {
  j["store"] = from.store;
  j["campaign"] = from.campaign;
  j["campaign_id"] = integer(from.campaign_id);
  j["problem"] = from.problem;
  j["problem_digest"] = from.problem_digest;
  j["family"] = from.family;
  j["operator"] = from.operator_name;
  j["split"] = from.split;
}

std::string step_name(const trajectory_origin& from, std::uint64_t node) {
  return from.store + "/" + std::to_string(from.campaign_id) + "/" + std::to_string(node);
}

bool is_step(const node_view& n) {
  return !n.is_root() &&
         (has_verdict(n.state) || (n.state == node_state::unanswered && !n.row.reply_digest.empty()));
}

result<std::string> step_line(const campaign_view& c, const trajectory_origin& from, const node_view& n,
                              const step_group& group) {
  const auto& core = c.fold().trees()[n.key.tree];
  const auto& model = model_of(c, n.row.model);
  auto parent = n.row.parents.empty() ? 0 : n.row.parents[0];
  json j;
  j["schema"] = step_schema;
  j["step"] = step_name(from, n.id);
  j["parent"] = parent == 0 ? std::string{} : step_name(from, c.public_id(n.key.tree, parent));
  put_origin(j, from);
  j["backend"] = core.backend();
  j["node"] = integer(n.id);
  j["parents"] = json::array();
  for (auto p : n.row.parents)
    j["parents"].push_back(integer(c.public_id(n.key.tree, p)));
  j["depth"] = integer(n.depth);
  j["operation"] = to_text(core.tree()[n.key.node].operation);
  j["memory"] = to_text(n.row.memory);
  j["model"] = n.row.model;
  j["model_id"] = model.model;
  j["provider"] = model.name.empty() ? std::string_view{} : to_text(model.provider);
  j["attempts"] = integer(n.row.attempts);
  j["duplicate_of"] = n.row.duplicate_of == no_node
                          ? std::int64_t{-1}
                          : static_cast<std::int64_t>(c.public_id(n.key.tree, n.row.duplicate_of));
  j["group"] = step_name(from, c.public_id(n.key.tree, parent)) + "/" +
               std::string{to_text(core.tree()[n.key.node].operation)};
  if (auto done = put_texts(j, c, n, model); !done)
    return failure{done.error().kind,
                   "node " + std::to_string(n.id) + " of campaign " + c.name() + ": " + done.error().text};
  auto verdicts = verdicts_of(c, n);
  put_verdict(j, n, verdicts);
  put_claim(j, c, n);
  put_reward(j, n, verdicts, group);
  put_cost(j, c, n);
  return json_line(j);
}

} // namespace ke::cli
