#include "runtime/text/nearest_name.hpp"

#include <algorithm>
#include <cctype>

namespace ke {
namespace {

/// Optimal string alignment: insertions, deletions, replacements and swaps of neighbours, without regard to
/// case.
std::size_t edit_distance(std::string_view a, std::string_view b) {
  auto same = [](char x, char y) {
    return std::tolower(static_cast<unsigned char>(x)) == std::tolower(static_cast<unsigned char>(y));
  };
  std::vector<std::vector<std::size_t>> d(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 0; i <= a.size(); ++i)
    for (std::size_t j = 0; j <= b.size(); ++j) {
      if (i == 0 || j == 0) {
        d[i][j] = i + j;
        continue;
      }
      d[i][j] = std::min({d[i - 1][j] + 1, d[i][j - 1] + 1, d[i - 1][j - 1] + !same(a[i - 1], b[j - 1])});
      if (i > 1 && j > 1 && same(a[i - 1], b[j - 2]) && same(a[i - 2], b[j - 1]))
        d[i][j] = std::min(d[i][j], d[i - 2][j - 2] + 1);
    }
  return d[a.size()][b.size()];
}

} // namespace

std::string nearest_name(std::string_view typo, const std::vector<std::string>& names) {
  if (typo.empty() || typo.size() > 64)
    return {};
  std::string nearest;
  auto least = typo.size() / 3 + 2; // exclusive
  for (const auto& name : names)
    if (auto d = edit_distance(typo, name); d < least && d < std::max(typo.size(), name.size())) {
      least = d;
      nearest = name;
    }
  return nearest;
}

std::string did_you_mean(std::string_view typo, const std::vector<std::string>& names) {
  auto name = nearest_name(typo, names);
  return name.empty() ? name : " (did you mean \"" + name + "\"?)";
}

} // namespace ke
