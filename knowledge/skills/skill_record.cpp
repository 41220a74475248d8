#include "knowledge/skills/skill_record.hpp"

#include <algorithm>
#include <cctype>
#include <cmath>
#include <set>
#include <tuple>

namespace ke {
namespace {

double spread(const skill_use& u) {
  auto n = static_cast<double>(u.wins + u.losses);
  auto mean = usefulness(u);
  return std::sqrt(mean * (1 - mean) / (n + 3)); // of a Beta(wins + 1, losses + 1)
}

constexpr double tenth =
    1.2816; ///< 10% of a normal distribution lie this many deviations below the mean, or further

std::set<std::string> runs_of(const std::string& text) {
  std::vector<std::string> words{""};
  for (unsigned char c : text)
    if (std::isalnum(c))
      words.back() += static_cast<char>(std::tolower(c));
    else if (!words.back().empty())
      words.emplace_back();
  if (words.back().empty())
    words.pop_back();
  std::set<std::string> runs;
  for (std::size_t i = 0; i + 2 < words.size(); ++i)
    runs.insert(words[i] + " " + words[i + 1] + " " + words[i + 2]);
  if (runs.empty())
    runs.insert(words.begin(), words.end());
  return runs;
}

auto place_of(const skill_evidence& e) {
  return std::tie(e.store, e.campaign, e.tree, e.node, e.parent);
}

void unite(std::vector<std::string>& into, const std::vector<std::string>& from) {
  into.insert(into.end(), from.begin(), from.end());
  std::sort(into.begin(), into.end());
  into.erase(std::unique(into.begin(), into.end()), into.end());
}

} // namespace

skill_use uses_of(const skill& s) {
  skill_use u;
  for (const auto& r : s.records) {
    u.wins += r.wins;
    u.losses += r.losses;
  }
  return u;
}

double usefulness(const skill_use& u) {
  return static_cast<double>(u.wins + 1) / static_cast<double>(u.wins + u.losses + 2);
}

double usefulness_bound(const skill_use& u) {
  return std::max(0.0, usefulness(u) - tenth * spread(u));
}

bool is_quarantined(const skill_use& u, double base) {
  return u.wins + u.losses >= quarantine_uses && usefulness(u) + tenth * spread(u) < base;
}

void note_use(skill& s, const std::string& store, bool won) {
  auto r = std::find_if(s.records.begin(), s.records.end(), [&](const auto& x) { return x.store == store; });
  if (r == s.records.end())
    r = s.records.insert(s.records.end(), skill_record{store});
  ++(won ? r->wins : r->losses);
}

double likeness(const std::string& a, const std::string& b) {
  auto x = runs_of(a), y = runs_of(b);
  std::size_t both = 0;
  for (const auto& r : x)
    both += y.contains(r);
  auto all = x.size() + y.size() - both;
  return all == 0 ? 1 : static_cast<double>(both) / static_cast<double>(all);
}

bool are_alike(const skill& a, const skill& b) {
  return a.family == b.family && a.language == b.language && a.bottleneck == b.bottleneck &&
         a.failure == b.failure && likeness(a.text, b.text) >= 0.6;
}

skill merged(const skill& a, const skill& b) {
  auto first = a.evidence.size() != b.evidence.size() ? a.evidence.size() > b.evidence.size()
               : a.version != b.version               ? a.version > b.version
                                                      : std::tie(a.id, a.text) <= std::tie(b.id, b.text);
  skill s = first ? a : b;
  const auto& other = first ? b : a;
  s.version = std::max(a.version, b.version);
  unite(s.dtypes, other.dtypes);
  unite(s.targets, other.targets);
  s.evidence.insert(s.evidence.end(), other.evidence.begin(), other.evidence.end());
  std::sort(
      s.evidence.begin(), s.evidence.end(),
      [](const auto& x, const auto& y) { // of the same step first the one that knows the claim's numbers
        return std::pair{place_of(x), y.claims.size()} < std::pair{place_of(y), x.claims.size()};
      });
  s.evidence.erase(std::unique(s.evidence.begin(), s.evidence.end(),
                               [](const auto& x, const auto& y) { return place_of(x) == place_of(y); }),
                   s.evidence.end());
  for (const auto& r : other.records) {
    auto mine =
        std::find_if(s.records.begin(), s.records.end(), [&](const auto& x) { return x.store == r.store; });
    if (mine == s.records.end()) {
      s.records.push_back(r);
    } else {
      mine->wins = std::max(mine->wins, r.wins);
      mine->losses = std::max(mine->losses, r.losses);
    }
  }
  std::sort(s.records.begin(), s.records.end(),
            [](const auto& x, const auto& y) { return x.store < y.store; });
  return s;
}

} // namespace ke
