#include "knowledge/prompt.hpp"

#include "knowledge/answer_form.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <cstdio>

namespace ke {
namespace {

using json = nlohmann::ordered_json;

std::string dump(const json& j) {
  return j.dump(-1, ' ', false, json::error_handler_t::replace);
}

json problem_json(const problem& p) {
  json tensors = json::array();
  for (const auto& t : p.tensors)
    tensors.push_back(
        {{"name", t.name}, {"role", to_text(t.role)}, {"dtype", to_text(t.dtype)}, {"shape", t.shape}});
  json scalars = json::array();
  for (const auto& s : p.scalars)
    scalars.push_back({{"name", s.name}, {"type", s.integer ? "int64_t" : "double"}, {"value", s.value}});
  json workloads = json::array();
  for (const auto& w : p.workloads)
    if (!w.held_out)
      workloads.push_back({{"name", w.name}, {"dims", w.dims}, {"weight", w.weight}});
  json tolerance = {{"bitwise", p.bitwise}};
  for (const auto& [name, t] : p.tolerances)
    tolerance[name] = {{"rtol", t.rtol}, {"atol", t.atol}};
  return {{"name", p.name},
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
}

json diagnosis_json(const diagnosis& d) {
  json j = {{"bottleneck", d.bottleneck}, {"confidence", d.confidence}, {"evidence", d.evidence}};
  j["roofline_fraction"] = d.roofline_fraction ? json(*d.roofline_fraction) : json(nullptr);
  return j;
}

/// A piece of untrusted text for the middle of a line: bounded, and a code span that nothing in it can end.
std::string in_line(std::string_view text) {
  std::string line{text.substr(0, 400)};
  for (auto& c : line)
    if (static_cast<unsigned char>(c) < 0x20)
      c = ' ';
    else if (c == '`')
      c = '\'';
  return "`" + line + "`";
}

/// What may be told of a failure: a text that names a held-out workload would give it away.
std::string told(const problem& p, const std::string& text) {
  for (const auto& w : p.workloads)
    if (w.held_out && !w.name.empty() && text.find(w.name) != std::string::npos)
      return "wrong on a workload that is not shown";
  return text;
}

bool is_held_out(const problem& p, const std::string& workload) {
  return std::any_of(p.workloads.begin(), p.workloads.end(),
                     [&](const ke::workload& w) { return w.held_out && w.name == workload; });
}

/// A source in a fence that is longer than any in it, so that it can't end ours.
std::string fenced(const std::string& language, const std::string& source) {
  std::size_t longest = 2, run = 0;
  for (auto c : source) {
    run = c == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  std::string fence(longest + 1, '`');
  return fence + language + "\n" + source + "\n" + fence + "\n";
}

/// The block that every prompt begins with (ke_task.md). A fence inside a source is escaped as JSON allows,
/// so that it can't end ours.
std::string task_block(const prompt_request& r) {
  auto facts = r.target->facts;
  std::erase_if(facts,
                [](const auto& f) { return f.first.starts_with("peak."); }); // measured: never twice the same
  json target = {
      {"backend", r.target->backend},
      {"language", r.language == "cpp" ? "c++" : r.language}, // the fence's word is not the block's
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
              {"failure", told(*r.problem, r.parent->reason)}};
    if (r.parent->diagnosis)
      found = diagnosis_json(*r.parent->diagnosis);
  }
  text += ",\"operation\":\"" + std::string{to_text(r.operation)} +
          "\",\"draft\":" + std::to_string(r.draft) + ",\"seed\":" + std::to_string(r.seed) +
          ",\"diagnosis\":" + dump(found) + ",\"parent\":" + dump(parent) + ",\"tried\":" + dump(r.tried) +
          "}";
  for (auto at = text.find("```"); at != std::string::npos; at = text.find("```", at))
    text.replace(at, 3, "\\u0060\\u0060\\u0060");
  return "```ke-task\n" + text + "\n```\n";
}

/// Text from candidates, compilers and models: bounded and fenced, never an instruction. A fence inside it
/// can't end ours.
std::string quoted(std::string_view text, std::size_t limit) {
  std::string body{text.substr(0, limit)};
  for (auto at = body.find("```"); at != std::string::npos; at = body.find("```", at + 3))
    body.replace(at, 3, "'''");
  return "```text\n" + body + (text.size() > limit ? "\n[cut]" : "") + "\n```\n";
}

std::string number(double x) {
  char text[32];
  std::snprintf(text, sizeof text, "%.3g", x);
  return text;
}

std::string outcome(const problem& p, const node_card& c) {
  if (c.timing)
    return std::string{to_text(c.state)} + ", " + number(c.timing->speedup) +
           "x the reference (95% interval " + number(c.timing->low) + " to " + number(c.timing->high) + ")";
  return std::string{to_text(c.state)} + (c.reason.empty() ? "" : ": " + in_line(told(p, c.reason)));
}

std::string list(const problem& p, const std::vector<std::shared_ptr<const node_card>>& cards,
                 std::size_t most) {
  std::string text;
  for (std::size_t i = 0; i < std::min(most, cards.size()); ++i)
    text += "- node " + std::to_string(cards[i]->node) + " (" + outcome(p, *cards[i]) + ")" +
            (cards[i]->plan.empty() ? "" : ": " + in_line(cards[i]->plan)) + "\n";
  return text;
}

/// What the source must define, and what it may count on.
std::string form(const problem& p) {
  if (p.reference_language != "python")
    return "It must define\n```cpp\n" + native_signature(p) +
           ";\n```\nTensors are contiguous, row-major, only element-aligned. It must be right for "
           "every shape, not only for the workloads "
           "above: odd, prime, one and empty sizes are checked too, with secret inputs, on the "
           "very calls that are timed.\n";
  std::string checked =
      "Inputs are contiguous CPU tensors with secret values, new ones in every call; the results "
      "of the very calls that are timed are checked. Inputs may not be changed.\n";
  if (p.tensors.empty())
    return "It must define `class ModelNew(nn.Module)`, which is made and called like `Model` of the "
           "reference and "
           "returns tensors of the same shapes and types. Parameters get the same values as the reference's "
           "if "
           "they are made in the same order.\n" +
           checked;
  std::string arguments, results;
  auto add = [](std::string& to, const std::string& name) { to += (to.empty() ? "" : ", ") + name; };
  for (const auto& t : p.tensors)
    add(t.role == tensor_role::out ? results : arguments, t.name);
  for (const auto& s : p.scalars)
    add(arguments, s.name);
  return "It must define the Python function `kernel(" + arguments + ")` on PyTorch tensors, which returns " +
         (results.empty() ? "nothing" : results) +
         " as the reference does. It must be right for every shape, not only for the workloads above: odd, "
         "prime "
         "and one are checked too. " +
         checked;
}

std::string rules(const prompt_request& r) {
  const auto& p = *r.problem;
  bool python = p.reference_language == "python";
  std::string text = "\n## Task\nWrite a faster implementation of this operator. " + form(p);
  text += "Policy: at most " + std::to_string(p.policy.threads) + " thread(s)" +
          (p.policy.vendor_libraries ? ""
           : python                  ? ", no other processes, files or network"
                                     : ", no vendor libraries, no other processes, files or network") +
          (p.policy.fast_math ? ""
           : python           ? ", results within the tolerance"
                              : ", results within the tolerance (no -ffast-math)") +
          ". Time counts with " + (p.policy.cold_cache ? "cold" : "hot") + " caches.\n";
  text += "\n## Answer\nOne or two sentences of plan, then exactly one fenced ```" + r.language +
          " block with the complete source (" + (python ? "imports" : "includes") +
          " too). The answer may have at most " + std::to_string(r.answer_limit_bytes >> 10) + " KiB.\n";
  return text;
}

/// What the judge tries besides random inputs (docs/manual/trust.md, "Edges").
std::string edges(const problem& p) {
  return std::string{"Inputs of large, tiny and very unequal size are tried"} +
         (p.policy.fast_math ? ".\n"
                             : ", and NaN, infinities, subnormal numbers and zeros of both signs: where the "
                               "reference stands by its result, yours must agree.\n");
}

std::string parent_section(const prompt_request& r) {
  const auto& c = *r.parent;
  auto text = "\n## Parent (node " + std::to_string(c.node) + "): " + outcome(*r.problem, c) + "\n";
  if (r.operation == operation_kind::fix) {
    text += "It failed. Find the cause and repair it.\n";
    if (c.first_failure && !is_held_out(*r.problem, c.first_failure->workload)) {
      const auto& m = *c.first_failure;
      std::string index;
      for (auto i : m.index)
        index += (index.empty() ? "" : ", ") + std::to_string(i);
      text += "First wrong element: " + m.tensor + "[" + index + "] on workload " + m.workload +
              ": expected " + number(m.expected) + ", got " + number(m.got) + ", allowed difference " +
              number(m.bound) + ".\n";
    }
    if (!c.log.empty())
      text += quoted(told(*r.problem, c.log), 4096);
  } else if (c.diagnosis) {
    text += "Its bottleneck: " + c.diagnosis->bottleneck + ".\n";
  }
  return text + fenced(r.language, c.source);
}

} // namespace

std::string point_of(std::string_view source) {
  static constexpr std::string_view mark = "// ke-point:";
  auto at = source.find(mark);
  if (at == std::string_view::npos)
    return {};
  auto line = source.substr(at + mark.size());
  line = line.substr(0, line.find('\n'));
  auto begin = line.find('{');
  return begin == std::string_view::npos ? std::string{} : std::string{line.substr(begin)};
}

answer_form answer_form_of(const problem& p) {
  if (p.reference_language != "python")
    return {"cpp", "kernel"};
  return {"python", p.tensors.empty() ? "ModelNew" : "kernel"};
}

std::string native_signature(const problem& p) {
  static constexpr std::string_view c_type[] = {"double",  "float",  "_Float16", "uint16_t", "int64_t",
                                                "int32_t", "int8_t", "uint8_t",  "uint8_t"};
  std::string arguments;
  auto add = [&](const std::string& a) { arguments += (arguments.empty() ? "" : ", ") + a; };
  for (const auto& t : p.tensors)
    add((t.role == tensor_role::in ? "const " : "") + std::string{c_type[static_cast<int>(t.dtype)]} + "* " +
        t.name);
  for (const auto& s : p.scalars)
    add((s.integer ? "int64_t " : "double ") + s.name);
  for (const auto& d : p.dims)
    add("int64_t " + d);
  return "extern \"C\" void kernel(" + arguments + ")";
}

prompt build_prompt(const prompt_request& r) {
  prompt p;
  p.sections.push_back({task_block(r), false});
  p.sections.push_back({rules(r) + edges(*r.problem), true});
  p.sections.push_back({"\n## Reference\n" + fenced(r.language, r.problem->reference), true});
  if (r.parent)
    p.sections.push_back({parent_section(r), false});
  auto with_parent = r.memory == memory_kind::parent || r.memory == memory_kind::parent_siblings ||
                     r.memory == memory_kind::adaptive;
  auto with_siblings = r.memory == memory_kind::siblings || r.memory == memory_kind::parent_siblings ||
                       r.memory == memory_kind::adaptive;
  if (with_parent && !r.ancestors.empty())
    p.sections.push_back(
        {"\n## How the parent came about, nearest first\n" + list(*r.problem, r.ancestors, 8), false});
  if (with_siblings && !r.siblings.empty())
    p.sections.push_back(
        {"\n## Already tried from this parent\n" + list(*r.problem, r.siblings, 12) + "Try something else.\n",
         false});
  if (!r.hints.empty()) {
    std::string text = "\n## Hints from the engineer\n";
    for (const auto& h : r.hints)
      text += "- " + h.substr(0, 2000) + "\n";
    p.sections.push_back({std::move(text), false});
  }
  return p;
}

} // namespace ke
