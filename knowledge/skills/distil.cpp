#include "knowledge/skills/distil.hpp"

#include "knowledge/prompt/node_summary.hpp"
#include "knowledge/prompt/quote.hpp"
#include "knowledge/prompt/redacted.hpp"
#include "knowledge/skills/skill_change.hpp"
#include "runtime/core/digest.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/llm/answer_form.hpp"
#include "runtime/text/candidate_language.hpp"
#include "runtime/text/source_text.hpp"
#include "runtime/text/text_diff.hpp"

#include <algorithm>
#include <cctype>
#include <optional>
#include <set>

namespace ke {
namespace {

constexpr std::size_t change_limit = 2400, title_limit = 100, repair_limit = 1200, symptom_limit = 200;

/// Comments say what one candidate was about; a skill outlives it.
std::string bare(const std::string& source, const source_syntax& syntax) {
  auto text = without_comments(source, syntax);
  std::string lines;
  for (std::size_t at = 0; at < text.size();) {
    auto end = std::min(text.find('\n', at), text.size());
    std::string_view line{text.data() + at, end - at};
    if (auto last = line.find_last_not_of(" \t\r"); last != line.npos)
      lines.append(line.substr(0, last + 1)).append("\n");
    at = end + 1;
  }
  return lines;
}

std::string slug_of(std::string_view title) {
  std::string slug;
  for (unsigned char c : title.substr(0, 48))
    if (std::isalnum(c))
      slug += static_cast<char>(std::tolower(c));
    else if (!slug.empty() && slug.back() != '-')
      slug += '-';
  while (!slug.empty() && slug.back() == '-')
    slug.pop_back();
  return slug.empty() ? "step" : slug;
}

std::string title_of(const node_summary& c) {
  auto plan = trimmed(c.plan);
  plan = trimmed(plan.substr(0, plan.find('\n')));
  if (auto stop = plan.find(". "); stop != plan.npos)
    plan = plan.substr(0, stop);
  if (plan.empty())
    return "A change without a plan";
  return std::string{plan.substr(0, title_limit)};
}

bool gained(const proven_step& s) {
  if (s.seed || !s.node || !s.node->timing || s.node->state != node_state::correct)
    return false;
  if (!s.parent)
    return s.node->timing->low > 1;
  return s.parent->timing && s.parent->state == node_state::correct &&
         s.node->timing->low > s.parent->timing->high;
}

/// The parent failed in a way that its source explains, and the node is right. What broke the policy or was
/// suspected teaches nothing but where the line is.
bool repaired(const proven_step& s) {
  if (s.seed || !s.node || !s.parent || s.node->state != node_state::correct)
    return false;
  auto was = s.parent->state;
  return was == node_state::build_failed || was == node_state::crashed || was == node_state::incorrect ||
         was == node_state::nondeterministic || was == node_state::resource_exceeded;
}

/// What a reader would recognise the failure by: the first line of a tool's log with "error", else the reason.
/// Of wrong results nothing but that: where they were is the problem's own.
std::string symptom_of(const node_summary& c, const problem& p) {
  if (c.state == node_state::incorrect || c.state == node_state::nondeterministic)
    return {};
  auto log = redacted(p, c, c.log);
  std::string_view rest{log};
  while (!rest.empty()) {
    auto end = std::min(rest.find('\n'), rest.size());
    auto line = trimmed(rest.substr(0, end));
    if (line.find("error") != line.npos || line.find("Error") != line.npos)
      return std::string{head(line, symptom_limit)};
    rest.remove_prefix(std::min(end + 1, rest.size()));
  }
  return std::string{head(trimmed(redacted(p, c)), symptom_limit)};
}

/// The lines that went and those that came, without their surroundings.
std::string changed_lines(const std::string& before, const std::string& after) {
  std::string text;
  for (const auto& e : line_edits(before, after))
    if (e.kind != ' ')
      text.append(1, e.kind).append(trimmed(e.line).empty() ? std::string_view{} : e.line).append("\n");
  return text;
}

std::string speedup_of(double estimate, double low, double high) {
  return short_number(estimate) + "x (" + short_number(low) + " to " + short_number(high) + ")";
}

/// "3x (2.9 to 3.1) over the reference on cpu:AMD EPYC (large 3.3x (3.2 to 3.4); tall, held out, 2x (...))"
std::string claim_of(const skill_claim& c) {
  auto over = c.compared_with == "reference" ? std::string{"the reference"} : in_line(c.compared_with);
  auto text = speedup_of(c.speedup, c.low, c.high) + " over " + over + " on " + in_line(c.device);
  std::string workloads;
  for (const auto& w : c.workloads)
    workloads += (workloads.empty() ? "" : "; ") + in_line(w.name) + (w.held_out ? ", held out, " : " ") +
                 speedup_of(w.speedup, w.low, w.high);
  return text + (workloads.empty() ? "" : " (" + workloads + ")");
}

std::string what_is_measured(const skill_evidence& e) {
  std::string text;
  for (const auto& c : e.claims)
    text += (text.empty() ? "" : ", and ") + claim_of(c);
  if (!text.empty())
    text = "Part of a solution of " + in_line(e.problem) + " whose claim was confirmed: " + text +
           ". Before that claim the search had measured this step";
  else
    text = "Measured in a search on " + in_line(e.problem) +
           (e.claimed ? ", whose winner was claimed" : " and never again for a claim") + ": this step went";
  return text + " from " + speedup_of(e.before, e.before_low, e.before_high) + " to " +
         speedup_of(e.after, e.after_low, e.after_high) + ".";
}

std::string what_is_repaired(const skill_evidence& e, const skill& s) {
  auto text = "In a search on " + in_line(e.problem) + (e.claimed ? ", whose winner was claimed," : "") +
              " a candidate was " + s.failure + " before this change and right after it";
  if (e.after > 0)
    text += ", at " + speedup_of(e.after, e.after_low, e.after_high);
  return text + (s.evidence.size() > 1
                     ? ". So it did in " + std::to_string(s.evidence.size() - 1) + " other step(s)."
                     : ".");
}

skill_evidence evidence_of(const proven_step& step, const distil_context& where) {
  skill_evidence e;
  e.store = where.store;
  e.campaign = where.campaign;
  e.tree = step.tree;
  e.parent = step.parent ? step.parent->node : 0;
  e.node = step.node->node;
  e.problem = where.problem->name;
  if (step.node->timing) {
    e.after = step.node->timing->speedup;
    e.after_low = step.node->timing->low;
    e.after_high = step.node->timing->high;
  }
  e.before = e.before_low = e.before_high = step.parent ? 0 : 1;
  if (step.parent && step.parent->timing) {
    e.before = step.parent->timing->speedup;
    e.before_low = step.parent->timing->low;
    e.before_high = step.parent->timing->high;
  }
  e.claimed = !where.claims.empty();
  e.claims = where.claims;
  return e;
}

/// What every skill of a step says of where it holds.
skill skill_of(const proven_step& step, const distil_context& where) {
  const auto& p = *where.problem;
  skill s;
  s.family = p.family;
  s.language = where.language->fence();
  std::set<std::string> dtypes;
  for (const auto& t : p.tensors)
    dtypes.insert(std::string{to_text(t.dtype)});
  s.dtypes = {dtypes.begin(), dtypes.end()};
  s.targets = where.targets;
  s.evidence = {evidence_of(step, where)};
  return s;
}

void give_id(skill& s) {
  s.id = "skill/" + slug_of(s.family) + "/" + slug_of(s.title) + "-" + digest_of(s.text).substr(0, 8);
}

skill gain_of(const proven_step& step, const distil_context& where) {
  const auto& p = *where.problem;
  const auto& syntax = where.language->syntax;
  auto before_source = bare(step.parent ? step.parent->source : p.reference, syntax);
  auto change =
      skill_change(before_source, bare(step.node->source, syntax), symbol_of(p), syntax.family, change_limit);
  auto s = skill_of(step, where);
  s.title = title_of(*step.node);
  s.bottleneck = step.parent && step.parent->diagnosis ? step.parent->diagnosis->bottleneck : "";
  s.text = "The author's plan: " + in_line(trimmed(step.node->plan)) + "\n\n" +
           quoted(change, change_limit, "diff");
  give_id(s);
  return s;
}

/// "When you see X, do Y"; nothing if the answer was another kernel rather than a repair.
std::optional<skill> cure_of(const proven_step& step, const distil_context& where) {
  const auto& syntax = where.language->syntax;
  auto change = changed_lines(bare(step.parent->source, syntax), bare(step.node->source, syntax));
  if (change.empty() || change.size() > repair_limit)
    return std::nullopt;
  auto s = skill_of(step, where);
  s.failure = std::string{to_text(step.parent->state)};
  auto symptom = symptom_of(*step.parent, *where.problem);
  s.title = "After " + s.failure + ": " + title_of(*step.node);
  s.text = "When you see " + s.failure + (symptom.empty() ? "" : ": " + in_line(symptom)) +
           "\nDo: " + in_line(trimmed(step.node->plan)) + "\n\n" + quoted(change, repair_limit, "diff");
  give_id(s);
  return s;
}

} // namespace

std::vector<skill> distil(const std::vector<proven_step>& chain, const distil_context& where) {
  std::vector<skill> found;
  for (const auto& step : chain)
    if (gained(step))
      found.push_back(gain_of(step, where));
    else if (repaired(step))
      if (auto cure = cure_of(step, where))
        found.push_back(std::move(*cure));
  return found;
}

std::string shown_skill(const skill& s) {
  auto best = std::max_element(s.evidence.begin(), s.evidence.end(), [](const auto& a, const auto& b) {
    if (a.claimed != b.claimed)
      return b.claimed;
    return a.after * b.before < b.after * a.before;
  });
  std::string text;
  if (!s.failure.empty() && best != s.evidence.end())
    return what_is_repaired(*best, s) + "\n\n" + s.text;
  if (!s.bottleneck.empty())
    text += "Applies when the bottleneck is " + s.bottleneck + ". ";
  if (best != s.evidence.end())
    text +=
        what_is_measured(*best) +
        (s.evidence.size() > 1 ? " So it did in " + std::to_string(s.evidence.size() - 1) + " other step(s)."
                               : "") +
        "\n\n";
  return text + s.text;
}

} // namespace ke
