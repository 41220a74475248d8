#include "knowledge/prompt/task_block.hpp"

#include "knowledge/prompt/node_summary.hpp"
#include "knowledge/prompt/promised.hpp"
#include "knowledge/prompt/prompt_builder.hpp"
#include "knowledge/prompt/redacted.hpp"
#include "runtime/core/baseline.hpp"
#include "runtime/core/device_info.hpp"
#include "runtime/core/evidence_keys.hpp"
#include "runtime/core/generated_init.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/verdict.hpp"
#include "runtime/text/candidate_language.hpp"
#include "runtime/text/json_line.hpp"

#include <nlohmann/json.hpp>

#include <set>

namespace ke {
namespace {

using json = nlohmann::ordered_json;

std::string dump(const json& j) {
  return json_line(j);
}

json tensor_json(const tensor_spec& t) {
  json j = {{"name", t.name}, {"role", to_text(t.role)}, {"dtype", to_text(t.dtype)}, {"shape", t.shape}};
  if (t.role == tensor_role::out)
    return j;
  if (t.promised || is_form(t.init) || t.init == generated_init)
    j["form"] = t.init;
  if (!t.range.empty())
    j["range"] = t.range;
  if (t.any_strides)
    j["strides"] = "any";
  return j;
}

json scalar_json(const scalar_spec& s) {
  json j = {{"name", s.name}, {"type", s.integer ? "int64_t" : "double"}, {"value", s.value}};
  if (!s.range.empty())
    j["range"] = s.range;
  return j;
}

constexpr std::size_t most_generator = 8192; ///< bytes of source: it stands in the prompt once more

/// What the problem says of its shapes; nothing where it says nothing.
void add_promises(const problem& p, json& to) {
  for (const auto& [dim, promise] : p.promise) {
    json j = {{"min", promise.min}, {"multiple", promise.multiple}};
    if (promise.max > 0)
      j["max"] = promise.max;
    to["promise"][dim] = std::move(j);
  }
  if (!p.relations.empty())
    to["relations"] = p.relations;
}

json problem_json(const problem& p) {
  json tensors = json::array();
  for (const auto& t : p.tensors)
    tensors.push_back(tensor_json(t));
  json scalars = json::array();
  for (const auto& s : p.scalars)
    scalars.push_back(scalar_json(s));
  json workloads = json::array();
  for (const auto& w : p.workloads)
    if (!w.held_out)
      workloads.push_back({{"name", w.name}, {"dims", w.dims}, {"weight", w.weight}});
  json tolerance = {{"bitwise", p.bitwise}};
  for (const auto& [name, t] : p.tolerances)
    tolerance[name] = {{"rtol", t.rtol}, {"atol", t.atol}};
  if (p.tensor_scale)
    tolerance["scale"] = "tensor";
  json all = {{"name", p.name},
              {"family", p.family},
              {"formula", p.formula},
              {"dims", p.dims},
              {"tensors", tensors},
              {"scalars", scalars},
              {"workloads", workloads},
              {"reference", {{"language", p.reference_language}, {"source", p.reference}}},
              {"tolerance", tolerance},
              {"policy",
               {{"vendor_libraries", p.policy.vendor_libraries},
                {"threads", p.policy.threads},
                {"fast_math", p.policy.fast_math},
                {"cache", p.policy.cold_cache ? "cold" : "hot"}}},
              {"cost", {{"flops", p.flops}, {"bytes", p.bytes}}}};
  add_promises(p, all);
  if (!p.generator.empty()) {
    all["generator"] = {{"language", "python"}};
    if (p.generator.size() <= most_generator)
      all["generator"]["source"] = p.generator;
  }
  return all;
}

/// What the campaign's goal says; empty where it says nothing.
std::string goal_of(const prompt_request& r) {
  json goal;
  if (r.floor > 0)
    goal["floor"] = r.floor;
  if (baseline_of(*r.problem))
    goal["baseline"] = baseline_name(*r.problem);
  return goal.is_null() ? std::string{} : ",\"goal\":" + dump(goal);
}

json diagnosis_json(const diagnosis& d) {
  auto told = d.evidence;
  told.erase(diagnosis_lacks); // a person's to mend
  json j = {{"bottleneck", d.bottleneck}, {"confidence", d.confidence}, {"evidence", std::move(told)}};
  j["cause"] = d.cause.empty() ? json(nullptr) : json(d.cause);
  j["roofline_fraction"] = d.roofline_fraction ? json(*d.roofline_fraction) : json(nullptr);
  return j;
}

} // namespace

std::string point_of(std::string_view source) {
  static constexpr std::string_view mark = " ke-point:";
  auto at = source.find(mark);
  if (at == std::string_view::npos)
    return {};
  auto line = source.substr(at + mark.size());
  line = line.substr(0, line.find('\n'));
  auto begin = line.find('{');
  return begin == std::string_view::npos ? std::string{} : std::string{line.substr(begin)};
}

std::string task_block(const prompt_request& r) {
  auto facts = r.target->facts;
  // A replay finds answers by the prompt: nothing that is measured, nor which of equal devices it is.
  std::erase_if(facts, [](const auto& f) {
    static const std::set<std::string> of_this_one{device_facts::gate_loud, device_facts::library,
                                                   device_facts::node,      device_facts::strangers,
                                                   device_facts::uuid,      device_facts::without};
    return f.first.starts_with(device_facts::peak_of) || of_this_one.contains(f.first);
  });
  json target = {{"backend", r.target->backend},
                 {"language", r.language->name},
                 {"device", r.target->name},
                 {"facts", facts}};
  auto text = "{\"version\":1,\"problem\":" + dump(problem_json(*r.problem)) + ",\"target\":" + dump(target);
  json parent = nullptr, found = nullptr;
  if (r.parent) {
    auto point = json::parse(point_of(r.parent->source), nullptr, false);
    parent = {{"node", r.parent->node},
              {"digest", r.parent->source_digest},
              {"state", to_text(r.parent->state)},
              {"score", r.parent->score ? json(*r.parent->score) : json(nullptr)},
              {"point", point.is_discarded() ? json(nullptr) : json(point)},
              {"failure", redacted(*r.problem, *r.parent)}};
    if (r.parent->diagnosis)
      found = diagnosis_json(*r.parent->diagnosis);
  }
  text += ",\"operation\":\"" + std::string{to_text(r.operation)} +
          "\",\"draft\":" + std::to_string(r.draft) + ",\"seed\":" + std::to_string(r.seed) +
          ",\"diagnosis\":" + dump(found) + ",\"parent\":" + dump(parent) + ",\"tried\":" + dump(r.tried) +
          goal_of(r) + "}";
  for (auto at = text.find("```"); at != std::string::npos; at = text.find("```", at))
    text.replace(at, 3, "\\u0060\\u0060\\u0060");
  return "```ke-task\n" + text + "\n```\n";
}

} // namespace ke
