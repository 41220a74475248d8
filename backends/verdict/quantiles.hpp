#pragma once

#include <vector>

namespace ke {

double median_of(std::vector<double> values); ///< 0 for none
/// Median distance from the median; 0 for none.
double median_distance(std::vector<double> values);
/// The value that a share `p` of the others does not exceed; 0 for none.
double quantile_of(std::vector<double> values, double p);

} // namespace ke
