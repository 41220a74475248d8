#include "backends/judge/poison.hpp"

#include "backends/judge/inputs.hpp"

#include <algorithm>
#include <cstring>

namespace ke {

poison::poison(const problem& what, const std::vector<std::string>& samples, random_source& random)
    : what_{&what}, pool_{samples} {
  for (std::size_t t = 0; t < pool_.size(); ++t) {
    auto d = what.tensors[t].dtype;
    std::size_t n = pool_[t].size() / bytes_of(d);
    for (std::size_t i = 0; i < n; ++i) {
      double value = element(d, pool_[t].data(), i);
      if (is_floating(d))
        set_element(d, pool_[t].data(), i, value * (0.5 + random.uniform()));
    }
  }
}

std::size_t poison::turn(std::size_t tensor, random_source& random) const {
  return random.below(
      std::max<std::size_t>(1, pool_[tensor].size() / bytes_of(what_->tensors[tensor].dtype)));
}

void poison::write(std::size_t tensor, std::size_t turn, std::size_t at, std::size_t whole, std::byte* to,
                   std::size_t bytes, random_source& random) const {
  auto d = what_->tensors[tensor].dtype;
  std::size_t size = bytes_of(d), have = pool_[tensor].size() / size, n = bytes / size;
  if (have == 0 || n == 0)
    return;
  if (whole / size <= 4096) { // few elements: rotation alone would show the same ones again
    for (std::size_t i = 0; i < n; ++i) {
      double value = element(d, pool_[tensor].data(), random.below(have));
      if (d == dtype::boolean)
        value = static_cast<double>(random.next() >> 63);
      else
        value = is_floating(d) ? value * (0.5 + random.uniform())
                               : value + static_cast<double>(random.below(5)) - 2;
      set_element(d, to, i, value);
    }
    return;
  }
  std::size_t written = 0, from = (turn + at / size) % have;
  while (written < n) {
    std::size_t now = std::min(n - written, have - from);
    std::memcpy(to + written * size, pool_[tensor].data() + from * size, now * size);
    written += now;
    from = 0;
  }
}

} // namespace ke
