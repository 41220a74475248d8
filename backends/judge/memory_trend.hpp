#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ke {

/// Whether a program that has not ended in time was on its way to a memory limit, on a machine too slow for
/// it to arrive there: going on as in the second half of its time, it would have met the limit before as long
/// again was over. One that only loads its libraries, as PyTorch's compiler does, levels off below that.
///
/// `in_use`: its memory in bytes, at equal distances over the whole of its time; `limit` in bytes. Pure.
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
