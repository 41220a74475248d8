#include "backends/judge/library_calls.hpp"

#include "runtime/core/stable_order.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <sstream>

namespace ke {
namespace {

constexpr std::string_view element_wise = "element";

bool works_by_element(const std::string& name, const library_operators& known) {
  auto at = known.find(name);
  return at != known.end() && std::ranges::find(at->second, element_wise) != at->second.end();
}

struct profile_row {
  double us = 0;
  std::string name, caller;
  bool captured = false; ///< in a graph that the call has replayed; its time is that of the capture
};

/// Lines "by US NAME CALLER", or `within` for what was captured.
std::vector<profile_row> rows_of(std::string_view text) {
  std::vector<profile_row> rows;
  std::istringstream lines{std::string{text}};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words{line};
    std::string key;
    profile_row r;
    if (!(words >> key >> r.us >> r.name >> r.caller) || !std::isfinite(r.us) || r.us < 0)
      continue;
    r.captured = key == "within";
    if (r.captured || key == "by")
      rows.push_back(std::move(r));
  }
  return rows;
}

double number_after(std::string_view text, const std::string& key,
                    double otherwise = std::numeric_limits<double>::infinity()) {
  std::istringstream lines{std::string{text}};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words{line};
    std::string first;
    double value = 0;
    if (words >> first >> value && first == key && std::isfinite(value) && value > 0)
      return value;
  }
  return otherwise;
}

/// Families of the fused operators that the reference calls, with what those may call.
std::set<std::string> families_in(std::string_view reference, const library_operators& known) {
  std::set<std::string> families;
  for (const auto& r : rows_of(reference))
    if (auto at = known.find(r.name); at != known.end())
      families.insert(at->second.begin(), at->second.end());
  families.erase(std::string{element_wise});
  return families;
}

} // namespace

library_operators operators_of(std::string_view text) {
  library_operators all;
  std::istringstream lines{std::string{text}};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words{line};
    std::string name, family;
    if (!(words >> name))
      continue;
    auto& families = all[name];
    while (words >> family)
      families.push_back(family);
  }
  return all;
}

double call_us(std::string_view text) {
  return number_after(text, "called");
}

handed_over fused_calls(std::string_view candidate, std::string_view reference,
                        const library_operators& known) {
  auto allowed = families_in(reference, known);
  auto is_fused = [&](const std::string& name) {
    auto at = known.find(name);
    return at != known.end() && !at->second.empty() && at->second.front() != element_wise &&
           !allowed.contains(at->second.front());
  };
  std::map<std::string, double> spent;
  double all = 0, trimming = 0, captured = 0;
  bool element_by_element = true;
  for (const auto& r : rows_of(candidate)) {
    if (r.captured && r.caller == "-")
      captured += r.us;
    if (is_fused(r.name) && !is_fused(r.caller)) { // what one calls in turn is in its time
      spent[r.name] += r.us;
      all += r.us;
      element_by_element = element_by_element && works_by_element(r.name, known);
    } else if (!known.contains(r.caller) && works_by_element(r.name, known)) {
      trimming += r.us;
    }
  }
  handed_over found;
  for (const auto& [name, us] : spent)
    found.names.push_back(name);
  order_stably(found.names, [&](const auto& a, const auto& b) { return spent[a] > spent[b]; });
  double total = number_after(candidate, "total") + captured;
  found.of_operators = all / (element_by_element ? total : std::max(total - trimming, all));
  // What a replay itself takes on the host says nothing of what it starts: the time of the capture stands for it.
  found.of_call = all / (call_us(candidate) + number_after(candidate, "captured", 0));
  return found;
}

} // namespace ke
