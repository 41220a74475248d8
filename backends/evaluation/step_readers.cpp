#include "backends/evaluation/step_readers.hpp"

#include "backends/evidence/assembler_words.hpp"
#include "backends/evidence/device_sanitizer.hpp"
#include "backends/evidence/instruction_mix.hpp"
#include "backends/evidence/loop_times.hpp"
#include "backends/evidence/ncu_report.hpp"
#include "backends/evidence/sass_mix.hpp"
#include "backends/evidence/static_metrics.hpp"
#include "backends/evidence/torch_profile.hpp"
#include "runtime/text/source_text.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <map>

namespace ke {
namespace {

std::map<std::string, double> name_value(std::string_view text) {
  constexpr std::size_t most = 256, longest = 64;
  std::map<std::string, double> found;
  while (!text.empty() && found.size() < most) {
    auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    line = trimmed(line);
    auto between = line.find_last_of(" \t=:,");
    if (between == std::string_view::npos)
      continue;
    auto name = line.substr(0, line.find_last_not_of(" \t=:,", between) + 1);
    if (line.substr(name.size(), between + 1 - name.size()).find_first_of("=:,") == std::string_view::npos &&
        name.find_first_of(" \t") != std::string_view::npos)
      continue; // a sentence that ends in a number
    std::string number{line.substr(between + 1)};
    char* end = nullptr;
    double value = std::strtod(number.c_str(), &end);
    if (!name.empty() && name.size() <= longest && !number.empty() && *end == '\0' && std::isfinite(value))
      found.emplace(name, value);
  }
  return found;
}

profile_result loop_shares(std::string_view text) {
  return shares_of(read_ticks(text));
}
profile_result loop_spans(std::string_view text) {
  return {{}, {{"trace", trace_text(read_ticks(text))}}, {}};
}
profile_result torch_operators(std::string_view text) {
  return operators_in(text);
}
profile_result torch_timeline(std::string_view text) {
  return {{}, {{"trace", timeline_in(text)}}, {}};
}
template <std::map<std::string, double> (*Read)(std::string_view)>
profile_result counters_of(std::string_view text) {
  return {Read(text), {}, {}};
}

profile_result nothing_in(std::string_view) {
  return {};
}

struct known_reader {
  std::string_view name;
  job_kind kind;
  job_reader read;
  std::string (*wants)() = nullptr; ///< what the tool must be asked for
  bool of_crashes = false;
};
constexpr known_reader readers[] = {
    {"assembler-words", job_kind::profile, counters_of<assembler_counters>},
    {"instruction-mix", job_kind::profile, counters_of<instruction_mix>},
    {"name-value", job_kind::profile, counters_of<name_value>},
    {"compute-sanitizer", job_kind::profile, read_device_sanitizer, nullptr, true},
    {"listing", job_kind::profile, nothing_in},
    {"ncu-csv", job_kind::profile, read_ncu, ncu_metrics},
    {"sass-mix", job_kind::profile, counters_of<sass_mix>},
    {"static-metrics", job_kind::profile, counters_of<static_metrics>},
    {"loop-ticks", job_kind::collect, loop_shares},
    {"torch-profiler", job_kind::collect, torch_operators},
    {"loop-ticks", job_kind::trace, loop_spans},
    {"torch-profiler", job_kind::trace, torch_timeline},
};

} // namespace

job_reader find_job_reader(job_kind kind, std::string_view name) {
  for (const auto& r : readers)
    if (r.kind == kind && r.name == name)
      return r.read;
  return nullptr;
}

bool reads_crashes(std::string_view name) {
  return std::any_of(std::begin(readers), std::end(readers),
                     [&](const known_reader& r) { return r.name == name && r.of_crashes; });
}

bool is_for_people(std::string_view name) {
  return find_job_reader(job_kind::profile, name) == nothing_in;
}

std::string metrics_for(std::string_view name) {
  for (const auto& r : readers)
    if (r.name == name && r.wants)
      return r.wants();
  return {};
}

std::vector<std::string> job_reader_names(job_kind kind) {
  std::vector<std::string> names;
  for (const auto& r : readers)
    if (r.kind == kind)
      names.emplace_back(r.name);
  return names;
}

} // namespace ke
