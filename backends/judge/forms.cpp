#include "backends/judge/forms.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <vector>

namespace ke {
namespace {

using row = std::vector<double>;

void sorted_row(const tensor_spec& t, row& to, distribution d, const std::optional<value_bounds>& bounds,
                random_source& random) {
  for (auto& x : to) {
    x = is_floating(t.dtype) ? random.normal() : std::floor(random.uniform() * 256) - 128;
    if (d == distribution::large)
      x *= 16;
    if (d == distribution::small)
      x = is_floating(t.dtype) ? x * 0x1p-8 : std::floor(x / 64);
    if (t.dtype == dtype::u8)
      x = std::fabs(x);
    if (bounds && !(x >= bounds->low && x <= bounds->high))
      x = draw_between(t, *bounds, random);
  }
  if (d == distribution::mostly_zero && !to.empty()) {              // few values, each often
    bool zero = !bounds || (bounds->low <= 0 && bounds->high >= 0); // what other inputs hold then
    const double few[3] = {zero ? 0 : to.front(), to[to.size() / 2], to.back()};
    for (auto& x : to)
      x = few[random.below(3)];
  }
  std::sort(to.begin(), to.end());
}

void permuted_row(row& to, distribution d, random_source& random) {
  std::iota(to.begin(), to.end(), 0.0);
  switch (d) {
  case distribution::large:
    std::reverse(to.begin(), to.end());
    break;
  case distribution::small:
    break;
  case distribution::mostly_zero: // all but two in their place
    if (to.size() > 1)
      std::swap(to[random.below(to.size())], to[random.below(to.size())]);
    break;
  default:
    random.shuffle(to);
  }
}

void offsets_row(row& to, distribution d, const value_bounds& bounds, random_source& random) {
  double width = bounds.high - bounds.low;
  for (auto& x : to)
    x = bounds.low + std::floor(random.uniform() * (width + 1));
  if (d == distribution::large || d == distribution::small) // one segment has everything
    std::fill(to.begin(), to.end(), d == distribution::large ? bounds.low : bounds.high);
  if (d == distribution::mostly_zero && !to.empty()) // most segments are empty
    for (auto& x : to)
      x = to[random.below(std::min<std::size_t>(to.size(), 3))];
  for (auto& x : to)
    x = std::min(x, bounds.high);
  std::sort(to.begin(), to.end());
  if (!to.empty()) {
    to.back() = bounds.high;
    to.front() = to.size() > 1 ? bounds.low : bounds.high;
  }
}

void indices_row(row& to, distribution d, const value_bounds& bounds, double same, random_source& random) {
  double width = bounds.high - bounds.low + 1;
  for (auto& x : to) {
    x = std::min(bounds.high, bounds.low + std::floor(random.uniform() * width));
    if (d == distribution::large) // the ends
      x = random.below(2) ? bounds.low : bounds.high;
    if (d == distribution::small || (d == distribution::mostly_zero && random.below(8)))
      x = d == distribution::small ? same : bounds.low;
  }
}

void mask_row(row& to, distribution d, random_source& random) {
  for (auto& x : to)
    x = d == distribution::large         ? 1
        : d == distribution::small       ? 0
        : d == distribution::mostly_zero ? random.below(8) == 0
        : d == distribution::uniform     ? random.below(8) != 0
                                         : random.below(2) == 0;
}

void simplex_row(row& to, distribution d, random_source& random) {
  for (auto& x : to)
    x = d == distribution::init          ? std::exp(random.normal())
        : d == distribution::uniform     ? random.uniform() + 0x1p-20
        : d == distribution::mostly_zero ? (random.below(8) ? 0.0 : random.uniform())
        : d == distribution::small       ? 1.0
                                         : 0.0;
  double sum = std::accumulate(to.begin(), to.end(), 0.0);
  if (!(sum > 0) && !to.empty()) // all of it in one place
    to[random.below(to.size())] = sum = 1;
  for (auto& x : to)
    x /= sum;
}

} // namespace

std::string draw_form(const tensor_spec& t, std::size_t elements, std::size_t last, distribution d,
                      const std::optional<value_bounds>& bounds, random_source& random) {
  std::string bytes(elements * bytes_of(t.dtype), '\0');
  auto given = bounds.value_or(value_bounds{0, 0});
  double same = std::min(given.high, given.low + std::floor(random.uniform() * (given.high - given.low + 1)));
  row values(last);
  for (std::size_t from = 0; last > 0 && from + last <= elements; from += last) {
    if (t.init == "sorted")
      sorted_row(t, values, d, bounds, random);
    else if (t.init == "permutation")
      permuted_row(values, d, random);
    else if (t.init == "offsets")
      offsets_row(values, d, given, random);
    else if (t.init == "indices")
      indices_row(values, d, given, same, random);
    else if (t.init == "mask")
      mask_row(values, d, random);
    else
      simplex_row(values, d, random);
    for (std::size_t i = 0; i < last; ++i)
      set_element(t.dtype, bytes.data(), from + i, values[i]);
  }
  return bytes;
}

} // namespace ke
