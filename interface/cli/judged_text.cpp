#include "interface/cli/judged_text.hpp"

#include "backends/evidence/call_trace.hpp"
#include "backends/verdict/static_figures.hpp"
#include "interface/cli/figures.hpp"
#include "runtime/core/evidence.hpp"
#include "runtime/core/verdict.hpp"
#include "runtime/observe/trace.hpp"

#include <sstream>

namespace ke::cli {

std::string diagnosis_lines(const diagnosis& d) {
  std::string out = "  bottleneck: " + d.bottleneck + (d.cause.empty() ? "" : ", " + d.cause) +
                    " (confidence " + percent_text(d.confidence) + ")";
  if (d.roofline_fraction) {
    double percent = 100 * *d.roofline_fraction;
    out += ", " + fixed(percent, percent < 10 ? 1 : 0) + "% of the roofline";
  }
  out += '\n';
  for (const auto& [what, text] : d.evidence) {
    std::istringstream lines{text};
    for (std::string line; std::getline(lines, line);)
      out += "    " + what + ": " + line + '\n';
  }
  return out;
}

std::string static_lines(const std::map<std::string, double>& counters) {
  std::string out;
  for (const auto& [name, value] : static_figures(counters))
    out += "    " + name + ": " + fixed(value, 0) + '\n';
  return out;
}

bool write_call_trace(const std::string& file, const evidence& found) {
  trace::start(file);
  auto spans = trace_call(found, "call of the candidate", trace::time_point::clock::now());
  trace::stop();
  return spans > 0;
}

} // namespace ke::cli
