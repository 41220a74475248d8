#include "backends/verdict/shape_buckets.hpp"

#include "runtime/core/problem.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>

namespace ke {
namespace {

std::int64_t extent(const workload& w, const std::string& dim) {
  auto at = w.dims.find(dim);
  return at == w.dims.end() ? 1 : std::max<std::int64_t>(at->second, 0);
}

double log_of(std::int64_t extent) {
  return std::log2(static_cast<double>(std::max<std::int64_t>(extent, 1)));
}

/// The dimension in which two shapes differ most; none: they are the same one.
const std::string* widest(const problem& what, const workload& a, const workload& b) {
  const std::string* found = nullptr;
  double most = -1;
  for (const auto& d : what.dims)
    if (auto far = std::fabs(log_of(extent(a, d)) - log_of(extent(b, d)));
        extent(a, d) != extent(b, d) && far > most) {
      found = &d;
      most = far;
    }
  return found;
}

/// `own` ends where `other` begins.
void cut(extent_range& range, std::int64_t own, std::int64_t other) {
  auto low = std::min(own, other), high = std::max(own, other);
  auto middle = static_cast<std::int64_t>(std::sqrt(static_cast<double>(low) * static_cast<double>(high)));
  middle = std::clamp(middle, low, high - 1);
  if (own < other)
    range.high = std::min(range.high, middle);
  else
    range.low = std::max(range.low, middle + 1);
}

} // namespace

std::vector<shape_bucket> shape_buckets(const problem& what, double reach) {
  std::vector<shape_bucket> all;
  for (const auto& w : what.workloads) {
    auto& bucket = all.emplace_back();
    if (w.held_out)
      continue;
    for (const auto& d : what.dims) {
      auto e = static_cast<double>(extent(w, d));
      bucket.push_back({static_cast<std::int64_t>(std::ceil(e / reach)),
                        static_cast<std::int64_t>(std::floor(e * reach))});
    }
    for (const auto& other : what.workloads)
      if (const auto* d = other.held_out ? nullptr : widest(what, w, other))
        cut(bucket[static_cast<std::size_t>(d - what.dims.data())], extent(w, *d), extent(other, *d));
  }
  return all;
}

std::string bucket_text(const problem& what, const shape_bucket& bucket) {
  std::string text;
  for (std::size_t d = 0; d < bucket.size() && d < what.dims.size(); ++d)
    text += (d ? ", " : "") + what.dims[d] + " " + std::to_string(bucket[d].low) +
            (bucket[d].low == bucket[d].high ? "" : ".." + std::to_string(bucket[d].high));
  return text;
}

} // namespace ke
