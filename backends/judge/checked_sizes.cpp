#include "backends/judge/checked_sizes.hpp"

#include "backends/judge/shape_rules.hpp"
#include "runtime/core/evidence_keys.hpp"

#include <cstdint>

namespace ke {

std::optional<bound_shapes> smaller_shape(const problem& what, const bound_shapes& workload,
                                          std::size_t most_elements) {
  constexpr std::int64_t small = 16; // such an extent is left: a window, a number of heads
  shape_rules rules{what};
  for (std::int64_t by = 2; by <= (1 << 20); by *= 2) {
    auto dims = workload.dims;
    for (const auto& d : rules.movable())
      if (dims[d] > small)
        dims[d] = rules.fitted(d, std::max(dims[d] / by, small));
    rules.mend(dims);
    if (dims == workload.dims || !rules.allows(dims))
      continue;
    auto bound = bind_shapes(what, workload.name + ", made smaller", dims);
    if (bound && elements_of(*bound) <= most_elements)
      return *std::move(bound);
  }
  return std::nullopt;
}

bound_shapes checked_sizes::of(const problem& what, bound_shapes own) {
  if (most_ == 0 || elements_of(own) <= most_)
    return own;
  auto smaller = smaller_shape(what, own, most_);
  if (!smaller)
    return own;
  workloads_ += "workload " + own.name + " with";
  for (const auto& [d, value] : smaller->dims)
    workloads_ += ' ' + d + " = " + std::to_string(value) + ',';
  workloads_.back() = ';';
  workloads_ += ' ';
  return *std::move(smaller);
}

void checked_sizes::tell(std::map<std::string, std::string>& provenance) const {
  if (most_ > 0)
    provenance[provenance_keys::smaller_sizes] = workloads_ + "secret shapes of at most " +
                                                 std::to_string(of_secrets()) +
                                                 " elements a tensor; at most two samples of a distribution";
}

} // namespace ke
