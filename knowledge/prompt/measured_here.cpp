#include "knowledge/prompt/machine_peaks.hpp"
#include "knowledge/prompt/prompt_parts.hpp"
#include "knowledge/prompt/quote.hpp"
#include "runtime/core/baseline.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/core/verdict.hpp"
#include "runtime/text/tensor_bytes.hpp"

#include <algorithm>

namespace ke {
namespace {

/// "- reference on short: 22.1 us a call; 67.1 MB in and out, so 3.04e+03 GB/s"
std::string reference_line(const problem& what, const workload_timing& t) {
  auto w = std::find_if(what.workloads.begin(), what.workloads.end(),
                        [&](const workload& each) { return each.name == t.name; });
  if (w == what.workloads.end() || w->held_out || t.reference_ns <= 0)
    return {};
  auto bytes = tensor_bytes(what, *w);
  return std::string{baseline_of(what) ? "- what you are timed against, on " : "- reference on "} + t.name +
         ": " + short_number(t.reference_ns / 1e3) + " us a call" +
         (bytes > 0 ? "; " + short_number(bytes / 1e6) + " MB in and out, so " +
                          short_number(bytes / t.reference_ns) + " GB/s"
                    : "") +
         "\n";
}

} // namespace

std::string measured_here_part(const prompt_request& r) {
  std::string text;
  if (r.reference)
    for (const auto& t : r.reference->workloads)
      text += reference_line(*r.problem, t);
  if (r.reference && r.reference->floor_ns > 0)
    text += "- an empty call: " + short_number(r.reference->floor_ns / 1e3) + " us\n";
  text += peak_lines(*r.target, *r.problem);
  return text.empty() ? text : "\n## Measured on this machine\n" + text;
}

} // namespace ke
