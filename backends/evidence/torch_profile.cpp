#include "backends/evidence/torch_profile.hpp"

#include "backends/evidence/call_trace.hpp"
#include "runtime/core/evidence_keys.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <sstream>

namespace ke {
namespace {

constexpr std::size_t most_bytes = 64u << 10;
constexpr std::size_t most_operators = 10, most_told = 5;
constexpr std::string_view timeline = "\ntimeline\n";

/// Stretches of the common schema that lie in no other.
double top_calls_in(const std::string& trace) {
  std::istringstream lines{trace};
  std::string name;
  double count = 0, end = -1;
  for (double begin = 0, length = 0; lines >> name >> begin >> length;)
    if (begin >= end) {
      ++count;
      end = begin + length;
    }
  return count;
}

void count_operator(profile_result& found, const std::string& name, double self, double calls, double share) {
  found.counters[counter_keys::torch_op_of + name + ".self_us"] = self;
  found.counters[counter_keys::torch_op_of + name + ".calls"] = calls;
  found.counters[counter_keys::torch_op_of + name + ".share"] = share;
}

std::string told_of(const std::string& name, double self, double calls, double share) {
  char row[200];
  std::snprintf(row, sizeof row, "%s: %.0f%% of the operators' time, %.4g us in %.6g calls", name.c_str(),
                100 * share, self, calls);
  return row;
}

} // namespace

std::string with_known_names(std::string_view text, const std::set<std::string, std::less<>>& known) {
  std::istringstream lines{std::string{text.substr(0, most_bytes)}};
  std::string out;
  for (std::string line; std::getline(lines, line);) {
    double first = 0, second = 0;
    int at = 0;
    char numbers[80];
    if (line == "timeline") {
      out += "timeline\n";
    } else if (std::sscanf(line.c_str(), "total %lf %lf", &first, &second) == 2) {
      std::snprintf(numbers, sizeof numbers, "total %.3f %.0f\n", first, second);
      out += numbers;
    } else if (std::sscanf(line.c_str(), "%lf %lf %n", &first, &second, &at) == 2 && at > 0) {
      auto name = std::string_view{line}.substr(static_cast<std::size_t>(at));
      std::snprintf(numbers, sizeof numbers, "%.3f %.3f ", first, second);
      out += numbers;
      out += known.contains(name) ? name : "other";
      out += '\n';
    }
  }
  return out;
}

profile_result operators_in(std::string_view text) {
  auto calls_of_candidate = top_calls_in(timeline_in(text));
  text = text.substr(0, std::min(text.find(timeline), most_bytes));
  profile_result found;
  std::istringstream lines{std::string{text}};
  double total = 0;
  std::size_t taken = 0;
  std::string told;
  for (std::string line; taken < most_operators && std::getline(lines, line);) {
    std::istringstream words{line};
    std::string name;
    double self = 0, calls = 0;
    if (line.starts_with("total ")) {
      words >> name >> total;
      if (!words || !std::isfinite(total) || total <= 0)
        return {};
      found.counters[counter_keys::torch_self_us] = total;
      if (words >> calls && std::isfinite(calls) && calls >= 0)
        found.counters[counter_keys::torch_calls] = calls;
      continue;
    }
    words >> self >> calls >> name;
    if (!words || !is_plain_name(name) || !std::isfinite(self) || !std::isfinite(calls) || self < 0 ||
        total <= 0)
      continue;
    double share = std::min(1.0, self / total);
    count_operator(found, name, self, calls, share);
    if (taken++ < most_told)
      told += (told.empty() ? "" : "\n") + told_of(name, self, calls, share);
  }
  if (!told.empty()) {
    found.findings[finding_keys::operators] = told;
    if (calls_of_candidate > 0)
      found.counters[counter_keys::torch_top_calls] = calls_of_candidate;
  }
  return found;
}

std::string timeline_in(std::string_view text) {
  text = text.substr(0, most_bytes);
  auto start = text.find(timeline);
  if (start == std::string_view::npos)
    return {};
  std::istringstream lines{std::string{text.substr(start + timeline.size())}};
  call_trace_text out;
  for (std::string line; !out.full() && std::getline(lines, line);) {
    double begin = 0, length = 0;
    int at = 0;
    if (std::sscanf(line.c_str(), "%lf %lf %n", &begin, &length, &at) != 2 || at == 0)
      return {};
    out.add(std::string_view{line}.substr(static_cast<std::size_t>(at)), begin * 1e3, length * 1e3);
  }
  return out.take();
}

} // namespace ke
