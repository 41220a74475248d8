#include "runtime/search/policy/cells.hpp"

#include "runtime/search/index/tree_index.hpp"
#include "runtime/search/policy/counter_random.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace ke {
namespace {

constexpr std::array<std::string_view, 6> known_limits{"memory",    "compute",  "latency",
                                                       "occupancy", "frontend", "overhead"};
constexpr std::array<double, 5> share_edges{0.05, 0.1, 0.2, 0.4, 0.7};

std::uint32_t bin_on(cell_axis axis, const tree_index& tree, std::uint32_t node) {
  switch (axis) {
  case cell_axis::kind:
    return tree.descriptor(node);
  case cell_axis::bottleneck:
    return tree.measured(node) & 0xff;
  case cell_axis::roofline:
    return tree.measured(node) >> 8 & 0xff;
  case cell_axis::score:
    return bin_of_score(tree[node].score);
  }
  return 0;
}

} // namespace

std::uint32_t bins_of(std::string_view bottleneck, std::optional<double> roofline) {
  std::uint32_t bins = 0;
  if (!bottleneck.empty())
    bins = 1 + static_cast<std::uint32_t>(std::find(known_limits.begin(), known_limits.end(), bottleneck) -
                                          known_limits.begin());
  if (roofline && std::isfinite(*roofline))
    bins |=
        (1 + static_cast<std::uint32_t>(std::upper_bound(share_edges.begin(), share_edges.end(), *roofline) -
                                        share_edges.begin()))
        << 8;
  return bins;
}

std::uint32_t bin_of_score(double score) {
  if (!(score > 0) || !std::isfinite(score))
    return 0;
  return static_cast<std::uint32_t>(1 + std::clamp(std::floor(2 * std::log2(score)) + 8, 0.0, 28.0));
}

std::optional<std::uint32_t> cell_of(const tree_index& tree, std::uint32_t node,
                                     const std::vector<std::string>& axes) {
  auto kind = tree.descriptor(node);
  if (axes.empty() || (axes.size() == 1 && axes[0] == to_text(cell_axis::kind)))
    return kind ? std::optional{kind} : std::nullopt;
  std::uint64_t cell = 0;
  for (const auto& name : axes)
    if (auto axis = parse_name<cell_axis>(name))
      cell =
          mix(cell ^ mix(std::uint64_t{static_cast<std::uint8_t>(*axis)} << 32 | bin_on(*axis, tree, node)));
  return static_cast<std::uint32_t>(cell >> 32);
}

} // namespace ke
