#include "interface/cli/node_report.hpp"

#include "interface/cli/claim_text.hpp"
#include "interface/cli/figures.hpp"
#include "runtime/core/verdict_state.hpp"
#include "runtime/text/text_diff.hpp"

#include <algorithm>
#include <cctype>

namespace ke::cli {
namespace {

std::string changed(const node_report_facts& f) {
  auto who = f.from_reference ? std::string{"the reference"} : "node " + std::to_string(f.parent);
  if (f.duplicate_of)
    return "the same candidate as node " + std::to_string(*f.duplicate_of);
  std::string plan = f.note.empty() ? "" : "; plan: " + first_line(f.note, 160);
  if (f.source.empty())
    return "no source" + plan;
  std::size_t added = 0, removed = 0, kept = 0;
  for (const auto& e : line_edits(f.parent_source, f.source))
    ++(e.kind == '+' ? added : e.kind == '-' ? removed : kept);
  if (added + removed == 0)
    return "nothing, it is the text of " + who + plan;
  if (kept * 4 < added) // a diff of texts that share next to nothing says nothing
    return "written anew (" + std::to_string(kept + added) + " lines, " + std::to_string(kept) +
           " of them from " + who + ")" + plan;
  return std::to_string(added) + " lines added and " + std::to_string(removed) + " removed against " + who +
         ", " + std::to_string(kept) + " kept" + plan;
}

std::string result_of(const node_report_facts& f) {
  const auto& v = *f.found;
  std::string text{to_text(f.state)};
  if (v.decision != timing_decision::none)
    text += ", " + std::string{to_text(v.decision)};
  if (v.timing && v.state == verdict_state::correct) {
    text += ", " + speedup_text(v.timing->speedup, v.timing->low, v.timing->high) + " " + over_text(v) +
            " by the search";
    const auto& p = f.parent_found;
    if (p && p->timing && p->state == verdict_state::correct && p->timing->speedup > 0)
      text += ", " + fixed(v.timing->speedup / p->timing->speedup, 2) + " times its parent";
  } else if (!v.reason.empty()) {
    text += ": " + first_line(v.reason, 200);
  }
  return text;
}

std::string bottleneck_of(const verdict& v) {
  const auto& d = *v.diagnosis;
  auto text = d.bottleneck + (d.cause.empty() ? "" : ", " + d.cause) + " (confidence " +
              percent_text(d.confidence) + ")";
  if (d.roofline_fraction)
    text += ", " + percent_text(*d.roofline_fraction) + " of the roofline";
  static constexpr std::pair<const char*, const char*> telling[] = {
      {"memory", "memory"}, {"memory", "cache"},      {"compute", "compute"},   {"compute", "functions"},
      {"latency", "loop"},  {"latency", "cache"},     {"occupancy", "threads"}, {"frontend", "branches"},
      {"frontend", "code"}, {"overhead", "overhead"}, {"overhead", "waiting"}};
  for (const auto& [bottleneck, key] : telling)
    if (auto at = d.evidence.find(key); d.bottleneck == bottleneck && at != d.evidence.end()) {
      text += ": " + first_line(at->second, 160);
      break;
    }
  return text;
}

/// What usually helps a right kernel with this bottleneck; empty: unknown.
std::string idea_against(const diagnosis& d) {
  if (d.roofline_fraction && *d.roofline_fraction > 0.85)
    return "close to what the machine can do; only an algorithm that moves or computes less gets further";
  auto says = [&](const char* key) { return d.evidence.contains(key); };
  if (d.bottleneck == "memory")
    return "move fewer bytes: fuse passes over the same data, block so that they stay in a nearer cache, "
           "walk "
           "memory in order";
  if (d.bottleneck == "compute")
    return says("functions")
               ? "replace library calls by vectorised approximations that keep the error bound"
               : "use wider vectors and fused multiply-adds, and take invariant work out of the loop";
  if (d.bottleneck == "latency")
    return says("vectorizer")
               ? "break the dependency (several accumulators) so that the loop vectorises; the "
                 "compiler said: " +
                     first_line(d.evidence.at("vectorizer"), 100)
               : "break the chain: several independent accumulators or elements at once, so that "
                 "results need not be waited for";
  if (d.bottleneck == "occupancy")
    return "give every core its share: parallelise the outermost loop, smaller chunks or a dynamic schedule";
  if (d.bottleneck == "frontend")
    return says("code") ? "less code in the loop: unroll less, fewer copies"
                        : "replace unpredictable branches by masks or selections, or sort the work";
  if (d.bottleneck == "overhead")
    return "there is little left to gain inside: fewer calls, fewer parallel regions, more work in each";
  return "";
}

} // namespace

std::string next_idea(const verdict& v) {
  switch (v.state) {
  case verdict_state::build_failed:
    return "mend what the compiler names; it did not get further";
  case verdict_state::crashed:
    return "look for an index or a pointer that leaves its tensor: remainders, small and odd shapes";
  case verdict_state::timeout:
    return "look for a loop that does not end on some shape, or for far too much work";
  case verdict_state::resource_exceeded:
    return "allocate less: buffers outside of the loops, or none";
  case verdict_state::incorrect:
    return v.first_failure
               ? "compute " + v.first_failure->tensor + " on workload " + v.first_failure->workload +
                     " by hand at that index; remainders and the order of sums go wrong first"
               : "check the remainders and the order of sums";
  case verdict_state::nondeterministic:
    return "look for a race between threads, or for memory that is read before it is written";
  case verdict_state::noisy:
    return "measure it again on a quieter machine";
  case verdict_state::policy_violation:
    return "do without what the policy forbids";
  case verdict_state::cheating_suspected:
  case verdict_state::unfit_problem:
  case verdict_state::harness_error:
  case verdict_state::compiled:
    return "nothing follows from this for the kernel";
  case verdict_state::correct:
    break;
  }
  if (!v.diagnosis)
    return "no profile: try the usual steps, vectors first, then blocks that fit the caches";
  return idea_against(*v.diagnosis);
}

std::string node_report(const node_report_facts& f) {
  if (!f.found)
    return {};
  std::string text = "changed: " + changed(f) + "\nresult: " + result_of(f) + "\n";
  if (f.found->diagnosis && !f.found->diagnosis->bottleneck.empty())
    text += "bottleneck: " + bottleneck_of(*f.found) + "\n";
  if (auto idea = next_idea(*f.found); !idea.empty())
    text += "next: " + idea + "\n";
  return text;
}

} // namespace ke::cli
