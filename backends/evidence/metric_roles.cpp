#include "backends/evidence/metric_roles.hpp"

#include "runtime/core/evidence.hpp"
#include "runtime/core/evidence_keys.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>

namespace ke {
namespace {

constexpr std::array<std::string_view, 8> role_names{"memory",  "cache",     "compute",  "tensor",
                                                     "latency", "occupancy", "frontend", "overhead"};
constexpr std::string_view percent_word = " percent";

/// "memory percent" -> "memory", 100: what is divided by to get a share.
struct role_of_value {
  std::string_view role;
  double whole = 1;
};

role_of_value read_value(std::string_view value) {
  if (value.ends_with(percent_word))
    return {value.substr(0, value.size() - percent_word.size()), 100};
  return {value, 1};
}

} // namespace

bool is_metric_role(std::string_view name) {
  return std::find(role_names.begin(), role_names.end(), name) != role_names.end();
}

std::string metric_role_fault(std::string_view value) {
  if (is_metric_role(read_value(value).role))
    return {};
  std::string known;
  for (auto name : role_names)
    known += (known.empty() ? "" : ", ") + std::string{name};
  return "is no role: " + known + ", each alone (a share of 1) or followed by \" percent\"";
}

void add_roles(const metric_roles& roles, evidence& into) {
  struct best {
    double share = -1;
    std::string name;
  };
  std::map<std::string_view, best> found;
  for (const auto& [name, value] : roles) {
    auto at = into.counters.find(name);
    if (at == into.counters.end())
      continue;
    auto [role, whole] = read_value(value);
    double share = at->second / whole;
    if (!std::isfinite(share) || share < -0.01 || share > 1.01)
      continue;
    auto& most = found[role];
    if (share > most.share)
      most = {std::clamp(share, 0.0, 1.0), name};
  }
  std::string lines;
  for (const auto& [role, most] : found) {
    into.counters[counter_keys::role_of + std::string{role}] = most.share;
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), ": %.0f%% (", 100 * most.share);
    lines += (lines.empty() ? "" : "\n") + std::string{role} + text.data() + most.name + ")";
  }
  if (!lines.empty())
    into.findings[finding_keys::units] = lines;
}

} // namespace ke
