#include "knowledge/prompt/machine_peaks.hpp"
#include "knowledge/prompt/prompt_parts.hpp"
#include "knowledge/prompt/quote.hpp"
#include "runtime/core/baseline.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/verdict.hpp"
#include "runtime/text/expression.hpp"
#include "runtime/text/tensor_bytes.hpp"

#include <algorithm>

namespace ke {
namespace {

/// "; 67.1 MB in and out, so 3.04e+03 GB/s"; empty: nothing is known of the amount.
std::string rate_text(double amount, const char* unit, const char* what, double ns) {
  return amount > 0 ? "; " + short_number(amount / 1e6) + " M" + unit + what + ", so " +
                          short_number(amount / ns) + " G" + unit + "/s"
                    : std::string{};
}

/// "- reference on short: 22.1 us a call; 67.1 MB in and out, so 3.04e+03 GB/s"
std::string reference_line(const problem& what, const workload_timing& t) {
  auto w = std::find_if(what.workloads.begin(), what.workloads.end(),
                        [&](const workload& each) { return each.name == t.name; });
  if (w == what.workloads.end() || w->held_out || t.reference_ns <= 0)
    return {};
  auto flops = what.flops.empty() ? result<double>{0.0} : real_value(what.flops, w->dims);
  return std::string{baseline_of(what) ? "- what you are timed against, on " : "- reference on "} + t.name +
         ": " + short_number(t.reference_ns / 1e3) + " us a call" +
         rate_text(tensor_bytes(what, *w), "B", " in and out", t.reference_ns) +
         rate_text(flops ? *flops : 0, "FLOP", "", t.reference_ns) + "\n";
}

} // namespace

std::string measured_here_part(const prompt_request& r) {
  std::string text;
  if (r.reference)
    for (const auto& t : r.reference->workloads)
      text += reference_line(*r.problem, t);
  if (r.reference && r.reference->floor_ns > 0)
    text += "- the way to a kernel and back: " + short_number(r.reference->floor_ns / 1e3) +
            " us for a sample; short calls are timed many in one, so little of a time is this\n";
  text += peak_lines(*r.target, *r.problem);
  return text.empty() ? text : "\n## Measured on this machine\n" + text;
}

} // namespace ke
