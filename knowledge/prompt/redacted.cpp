#include "knowledge/prompt/redacted.hpp"

#include "knowledge/prompt/node_summary.hpp"
#include "knowledge/prompt/quote.hpp"
#include "runtime/core/node_state.hpp"
#include "runtime/core/problem.hpp"

#include <algorithm>

namespace ke {
namespace {

constexpr const char* neutral =
    "not accepted: each call must compute its result from its own inputs, within the call, and leave nothing "
    "behind";

} // namespace

bool is_held_out(const problem& p, const std::string& workload) {
  return std::any_of(p.workloads.begin(), p.workloads.end(),
                     [&](const ke::workload& w) { return w.held_out && w.name == workload; });
}

std::string redacted(const problem& p, const node_summary& c, const std::string& text) {
  if (c.state == node_state::cheating_suspected)
    return text.empty() ? "" : neutral;
  for (const auto& w : p.workloads)
    if (w.held_out && !w.name.empty() && text.find(w.name) != std::string::npos)
      return "wrong on a workload that is not shown";
  return text;
}

std::string redacted(const problem& p, const node_summary& c) {
  return redacted(p, c, c.reason);
}

std::string outcome_of(const problem& p, const node_summary& c) {
  if (c.state == node_state::cheating_suspected)
    return neutral;
  if (c.timing)
    return std::string{to_text(c.state)} + ", " + short_number(c.timing->speedup) +
           "x the reference (95% interval " + short_number(c.timing->low) + " to " +
           short_number(c.timing->high) + ")";
  return std::string{to_text(c.state)} + (c.reason.empty() ? "" : ": " + in_line(redacted(p, c)));
}

} // namespace ke
