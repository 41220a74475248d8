#include "interface/cli/sample_lines.hpp"

#include "runtime/core/evidence.hpp"
#include "runtime/core/problem.hpp"
#include "runtime/text/json_line.hpp"

#include <nlohmann/json.hpp>

#include <map>

namespace ke::cli {

std::string sample_lines(std::string_view candidate, const evidence& found, const problem& what) {
  std::string lines;
  std::map<std::uint32_t, int> launches; // so far, by workload
  for (const auto& s : found.launches) {
    nlohmann::ordered_json line{{"candidate", candidate}, {"launch", launches[s.workload]++}};
    line["workload"] = s.workload < what.workloads.size() ? what.workloads[s.workload].name : "";
    line["reference_ns"] = s.reference_ns;
    line["candidate_ns"] = s.candidate_ns;
    lines += json_line(line) + '\n';
  }
  return lines;
}

} // namespace ke::cli
