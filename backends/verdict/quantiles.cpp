#include "backends/verdict/quantiles.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace ke {

double median_of(std::vector<double> values) {
  if (values.empty())
    return 0;
  auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2)
    return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

double median_distance(std::vector<double> values) {
  double middle = median_of(values);
  for (auto& v : values)
    v = std::fabs(v - middle);
  return median_of(std::move(values));
}

double quantile_of(std::vector<double> values, double p) {
  if (values.empty())
    return 0;
  auto at = values.begin() + static_cast<std::ptrdiff_t>(p * static_cast<double>(values.size() - 1));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

} // namespace ke
