#include "knowledge/prompt/node_summary.hpp"
#include "knowledge/prompt/prompt_parts.hpp"
#include "runtime/core/device_info.hpp"
#include "runtime/core/evidence_keys.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/core/problem.hpp"

#include "knowledge/prompt/directions.hpp"
#include "knowledge/prompt/measured.hpp"
#include "knowledge/prompt/quote.hpp"
#include "knowledge/prompt/redacted.hpp"
#include "knowledge/prompt/remedies.hpp"
#include "knowledge/prompt/shortened_diff.hpp"
#include "knowledge/prompt/task_block.hpp"
#include "runtime/core/stable_order.hpp"
#include "runtime/core/timing_decision.hpp"
#include "runtime/llm/answer_form.hpp"
#include "runtime/llm/regions.hpp"
#include "runtime/text/candidate_language.hpp"
#include "runtime/text/hint_text.hpp"
#include "runtime/text/text_diff.hpp"

#include <algorithm>
#include <set>

namespace ke {
namespace {

using summaries = std::vector<std::shared_ptr<const node_summary>>;

constexpr std::size_t log_limit = 4096, change_limit = 3072, evidence_limit = 160, summary_limit = 2048;
constexpr std::size_t shown_with_summary = 3; ///< of the ancestors: the summary tells the rest

std::string line_of(const problem& p, const node_summary& c, const std::string& more = {}) {
  return "- node " + std::to_string(c.node) + " (" + outcome_of(p, c) + ")" +
         (c.plan.empty() ? "" : ": " + in_line(c.plan)) + more + "\n";
}

/// In units that a person compares with caches and launches; medians of calls that others ran between.
std::string times_of(const workload_timing& w) {
  auto text = "- workload " + w.name + ": " + short_number(w.speedup) + "x (" + short_number(w.low) + " to " +
              short_number(w.high) + ")";
  if (w.candidate_ns > 0 && w.reference_ns > 0)
    text += ", " + short_number(w.reference_ns / 1e3) + " us -> " + short_number(w.candidate_ns / 1e3) +
            " us a call";
  return text + "\n";
}

/// A line for each workload that is shown.
std::string times_of(const problem& p, const node_summary& c) {
  std::string text;
  if (c.timing)
    for (const auto& w : c.timing->workloads)
      if (!is_held_out(p, w.name))
        text += times_of(w);
  return text;
}

std::string nodes_in_words(const std::vector<std::uint32_t>& numbers) {
  std::string words;
  for (auto n : numbers)
    words += (words.empty() ? "node " : ", node ") + std::to_string(n);
  return words;
}

/// The step that made `to` of `from`, as a diff; empty where a source is missing or all of it is new.
std::string change_of(const node_summary& from, const node_summary& to) {
  if (from.source.empty() || to.source.empty())
    return {};
  auto diff = unified_diff(from.source, to.source, "node " + std::to_string(from.node),
                           "node " + std::to_string(to.node), 1);
  return diff.size() > from.source.size() + to.source.size() / 2 ? std::string{} : diff;
}

} // namespace

std::string parent_part(const prompt_request& r) {
  const auto& c = *r.parent;
  auto text = "\n## Parent (node " + std::to_string(c.node) + "): " + outcome_of(*r.problem, c) + "\n";
  if (r.operation == operation_kind::fix)
    text += "It failed. Find the cause and repair it.\n";
  text += times_of(*r.problem, c);
  if (c.decision == timing_decision::slower)
    text += "It is slower than the reference: find what costs the time before adding to it.\n";
  return text + fenced(r.language->fence(), c.source);
}

std::string failure_part(const prompt_request& r) {
  const auto& c = *r.parent;
  std::string text;
  if (c.first_failure && !is_held_out(*r.problem, c.first_failure->workload)) {
    const auto& m = *c.first_failure;
    std::string index;
    for (auto i : m.index)
      index += (index.empty() ? "" : ", ") + std::to_string(i);
    text += "First wrong element: " + m.tensor + "[" + index + "] on workload " + m.workload + ": expected " +
            exact_number(m.expected) + ", got " + exact_number(m.got) + ", allowed difference " +
            short_number(m.bound) + (m.distribution.empty() ? "" : ", inputs " + in_line(m.distribution)) +
            ".\n";
  }
  if (!c.log.empty() && c.state != node_state::cheating_suspected)
    text += quoted(redacted(*r.problem, c, c.log), log_limit);
  return text.empty() ? text : "\n## What went wrong\n" + text;
}

std::string diagnosis_part(const prompt_request& r) {
  if (!r.parent->diagnosis)
    return {};
  const auto& d = *r.parent->diagnosis;
  auto text = "\n## What limits the parent\nIts bottleneck: " + d.bottleneck +
              (d.cause.empty() ? "" : ", by " + d.cause) + ".";
  text += " Confidence " + short_number(d.confidence) + ".";
  if (d.roofline_fraction)
    text += " It reaches " + short_number(100 * *d.roofline_fraction) + "% of what this machine could do.";
  if (auto remedy = remedy_of(d.cause); !remedy.empty())
    text += " What helps against that: " + std::string{remedy} + ".";
  text += "\n";
  for (const auto& [name, value] : d.evidence)
    if (name != diagnosis_lacks) // a person's to mend
      text += "- " + name + ": " + in_line(std::string_view{value}.substr(0, evidence_limit)) + "\n";
  if (auto best = by_cores(r); best.more_cores_lost())
    text += "Measured in this tree: on one core " + short_number(best.one->timing->speedup) + "x (node " +
            std::to_string(best.one->node) + "), on several at most " +
            short_number(best.several->timing->speedup) + "x (node " + std::to_string(best.several->node) +
            "). More threads lost here.\n";
  return text;
}

std::string partner_part(const prompt_request& r) {
  if (!r.partner || r.partner->source.empty())
    return {};
  return "\n## Second parent (node " + std::to_string(r.partner->node) +
         "): " + outcome_of(*r.problem, *r.partner) + "\n" + times_of(*r.problem, *r.partner) +
         "Combine what is good in both.\n" + fenced(r.language->fence(), r.partner->source);
}

std::string ancestors_part(const prompt_request& r) {
  if (r.ancestors.empty())
    return {};
  std::string text = "\n## How the parent came about, nearest first\n";
  auto most = r.past.empty() ? most_ancestors : shown_with_summary;
  for (std::size_t i = 0; i < std::min(most, r.ancestors.size()); ++i)
    text += line_of(*r.problem, *r.ancestors[i]);
  return text;
}

std::string past_part(const prompt_request& r) {
  if (r.past.empty())
    return {};
  return "\n## What mattered so far\nA model's summary of the records of this way and of what was tried from "
         "the "
         "parent; where a figure above differs, that one counts.\n" +
         quoted(r.past, summary_limit);
}

std::string changes_part(const prompt_request& r) {
  std::string text;
  const node_summary* to = r.parent.get();
  for (std::size_t i = 0; i < std::min(shown_changes, r.ancestors.size()); ++i) {
    const auto& from = *r.ancestors[i];
    if (auto diff = change_of(from, *to); !diff.empty())
      text += "From node " + std::to_string(from.node) + " to node " + std::to_string(to->node) + " (" +
              outcome_of(*r.problem, from) + ", then " + outcome_of(*r.problem, *to) + "):\n" +
              quoted(shortened_diff(diff, change_limit), 2 * change_limit, "diff");
    to = &from;
  }
  return text.empty() ? text : "\n## The last changes on the way to the parent\n" + text;
}

std::string siblings_part(const prompt_request& r) {
  if (r.siblings.empty())
    return {};
  auto all = r.siblings;
  all.resize(std::min(most_siblings, all.size()));
  order_stably(all,
               [](const auto& a, const auto& b) { return a->score.value_or(-1) > b->score.value_or(-1); });
  std::string text = "\n## Already tried from this parent, best first\n";
  for (const auto& c : all)
    text += line_of(*r.problem, *c);
  const auto& best = *all.front();
  const auto& worst = *all.back();
  auto open = r.parent ? undecided(all, *r.parent) : std::vector<std::uint32_t>{};
  bool ahead = r.parent && best.score && r.parent->score && *best.score > *r.parent->score;
  if (ahead && std::binary_search(open.begin(), open.end(), best.node))
    text += "Ahead of the parent, but not beyond the noise: node " + std::to_string(best.node) +
            ". Not settled, since the intervals overlap: " + nodes_in_words(open) + ".\n";
  else if (ahead)
    text += "Node " + std::to_string(best.node) + " gained on the parent (" + short_number(*best.score) +
            " against " + short_number(*r.parent->score) + ")" +
            (all.size() > 1 && worst.score.value_or(-1) < *r.parent->score ? ", others lost" : "") +
            ": what separates it from the rest is worth keeping.\n";
  else if (!open.empty())
    text += "None of them gained on the parent beyond the noise. Not settled, since the intervals overlap: " +
            nodes_in_words(open) + ".\n";
  else
    text += "None of them gained on the parent.\n";
  return text + "Try something else.\n";
}

std::string uncles_part(const prompt_request& r) {
  if (r.uncles.empty() || r.ancestors.empty())
    return {};
  const auto& from = *r.ancestors.front();
  std::string text =
      "\n## Gains beside the parent\nThese were made from node " + std::to_string(from.node) +
      ", as the parent was, and the parent does not build on them. Take over what goes together "
      "with it.\n";
  auto open = undecided(r.uncles, from);
  for (const auto& c : r.uncles) {
    auto unsettled = std::binary_search(open.begin(), open.end(), c->node);
    text += line_of(*r.problem, *c, unsettled ? " [not settled: the intervals overlap]" : std::string{});
    if (auto diff = change_of(from, *c); !diff.empty())
      text += quoted(shortened_diff(diff, change_limit), 2 * change_limit, "diff");
  }
  return text;
}

std::string archive_part(const prompt_request& r) {
  if (r.archive.empty())
    return {};
  std::string text = "\n## The best of this search so far\n";
  for (const auto& c : r.archive) {
    bool known = c->diagnosis && !c->diagnosis->bottleneck.empty();
    text += line_of(*r.problem, *c, known ? " [bound by " + c->diagnosis->bottleneck + "]" : "");
  }
  return text + (r.parent ? "They lie on other ways; what makes them fast may serve here.\n"
                          : "Write something of another kind, or what beats them.\n");
}

std::string direction_part(const prompt_request& r) {
  auto style = is_device(*r.target)    ? direction_style::device
               : is_python(*r.problem) ? direction_style::python
                                       : direction_style::native;
  auto number = r.operation == operation_kind::draft ? r.draft : r.ordinal;
  auto bottleneck = bottleneck_to_mend(r);
  auto mine = direction_of(r.operation, style, r.problem->family, bottleneck, number);
  if (mine.empty())
    return {};
  auto text = "\n## Direction of this attempt\n" + std::string{mine} + ".\n";
  std::set<std::string_view> others;
  for (auto n : r.in_flight)
    if (auto d = direction_of(r.operation, style, r.problem->family, bottleneck, n); d != mine)
      others.insert(d);
  if (!others.empty()) {
    text += "Being tried by others at this moment, so leave it to them:\n";
    for (auto d : others)
      text += "- " + std::string{d} + "\n";
  }
  return text + "If something else promises clearly more, do that and say why.\n";
}

std::string space_part(const prompt_request& r) {
  auto point = point_of(r.parent->source);
  return point.empty() ? point
                       : "\n## Parameters of the parent\nThis point of its parameter space was measured: " +
                             in_line(point) + "\n";
}

std::string form_part(const prompt_request& r) {
  if (!r.parent)
    return {};
  std::string text;
  if (r.form == answer_kind::edits)
    text =
        "Answer with edits of the parent (SEARCH and REPLACE), not with the whole source: change what this "
        "attempt is about, and nothing else.\n";
  else if (r.form == answer_kind::whole)
    text =
        "Answer with a whole new source, not with edits: whatever of the parent stands in the way may go.\n";
  if (r.parent->source.find(region_mark) != std::string::npos)
    text += "Of the parent only what stands between a line `ke-mutable: begin` and its `ke-mutable: end` may "
            "change. "
            "These lines and all others stay as they are; an answer that changes them is not judged.\n";
  return text.empty() ? text : "\n## Form of this answer\n" + text;
}

std::string hints_part(const prompt_request& r) {
  if (r.hints.empty())
    return {};
  std::string text = "\n## Hints from the engineer\n";
  for (const auto& h : r.hints)
    text += "- " + h.substr(0, most_hint_bytes) + "\n";
  return text;
}

std::string repair_part(const prompt_request& r) {
  if (r.repair.empty())
    return {};
  return "\n## Your last answer could not be used\n" + quoted(r.repair, 1000) +
         "Answer again in one of the forms above.\n";
}

} // namespace ke
