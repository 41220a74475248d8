#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ke {

/// Whether a program that missed its time was on its way to a memory limit, on a machine too slow to get
/// there: at the pace of the second half it would have met the limit within as long again. A program that
/// only loads its libraries, such as PyTorch's compiler, levels off below that.
///
/// `in_use`: its memory in bytes, at equal distances over all its time; `limit` in bytes. Pure.
inline bool heads_for_limit(const std::vector<std::uint64_t>& in_use, std::uint64_t limit) {
  constexpr std::size_t fewest_samples = 8;
  if (in_use.size() < fewest_samples)
    return false;
  auto last = in_use.back(), middle = in_use[in_use.size() / 2];
  if (last <= middle + limit / 10)
    return false;
  return last + 2 * (last - middle) > limit;
}

} // namespace ke
