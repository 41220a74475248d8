#pragma once

#include <algorithm>
#include <cstddef>
#include <numeric>
#include <utility>
#include <vector>

namespace ke {

/// Sorts by `less` and keeps the order of equal elements. std::stable_sort uses a temporary buffer that
/// libstdc++ 12 deprecates: clang warns of every use.
template <class T, class Less>
void order_stably(std::vector<T>& all, Less less) {
  std::vector<std::size_t> order(all.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return less(all[a], all[b]) || (!less(all[b], all[a]) && a < b);
  });
  std::vector<T> sorted;
  sorted.reserve(all.size());
  for (auto i : order)
    sorted.push_back(std::move(all[i]));
  all = std::move(sorted);
}

} // namespace ke
