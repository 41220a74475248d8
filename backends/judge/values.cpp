#include "backends/judge/values.hpp"

#include "backends/judge/edges.hpp"
#include "backends/judge/inputs.hpp"
#include "backends/judge/python_payload.hpp"
#include "runtime/text/expression.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <set>
#include <utility>

namespace ke {
namespace {

using binding = std::map<std::string, std::int64_t>;

bool is_drawn(const tensor_spec& t) {
  return t.init == "normal" || t.init == "uniform" || t.init == "ints";
}

/// Bits of the largest magnitude: half of the type's range, so that one more addition does not overflow.
int bits_of(dtype d) {
  switch (d) {
  case dtype::i64:
    return 62;
  case dtype::i32:
    return 30;
  case dtype::u8:
    return 8;
  default:
    return 7;
  }
}

bool is_byte(dtype d) {
  return d == dtype::i8 || d == dtype::u8;
}

/// The double that set_element takes loses the low bits of an i64.
void put_integer(dtype d, std::string& bytes, std::size_t i, std::int64_t value) {
  if (d == dtype::i64)
    std::memcpy(bytes.data() + i * sizeof value, &value, sizeof value);
  else
    set_element(d, bytes.data(), i, static_cast<double>(value));
}

/// Of exactly or, unless `exactly`, up to so many bits.
std::int64_t magnitude(int bits, bool exactly, random_source& random) {
  auto value = static_cast<std::int64_t>(random.next() >> (64 - bits));
  return exactly ? value | (std::int64_t{1} << (bits - 1)) : value;
}

void draw_integers(dtype d, std::string& bytes, int bits, random_source& random) {
  std::size_t n = bytes.size() / bytes_of(d);
  auto put = [&](std::size_t i, std::int64_t value) {
    put_integer(d, bytes, i, d != dtype::u8 && random.below(2) ? -value : value);
  };
  // Sums of bytes are wider than bytes. Of others, half of the range is for the many, and the other half for
  // one element of each greater magnitude.
  int many = bits;
  if (!is_byte(d))
    many = std::clamp(bits - 1 - static_cast<int>(std::ceil(std::log2(static_cast<double>(n) + 1))), 1, bits);
  for (std::size_t i = 0; i < n; ++i)
    put(i, magnitude(1 + static_cast<int>(random.below(static_cast<std::uint64_t>(many))), false, random));
  std::vector<int> greater;
  for (int b = many + 1; b < bits; ++b)
    greater.push_back(b);
  random.shuffle(greater);
  greater.resize(std::min(greater.size(), n / 4 + 1));
  for (auto b : greater)
    put(random.below(n), magnitude(b, true, random));
}

/// Any value that the type has, of all magnitudes; its ends among them.
void draw_whole(dtype d, std::string& bytes, random_source& random) {
  const int width = static_cast<int>(bytes_of(d)) * 8;
  for (std::size_t i = 0; i < bytes.size() / bytes_of(d); ++i) {
    auto value = random.next() >> (64 - width);
    auto top = std::uint64_t{1} << (width - 1);
    switch (random.below(16)) {
    case 0:
      value = top - random.below(2); // the least and the greatest signed one
      break;
    case 1:
      value = 0 - random.below(3);
      break;
    case 2:
    case 3:
      value >>= random.below(static_cast<std::uint64_t>(width));
      break;
    default:
      break;
    }
    std::memcpy(bytes.data() + i * bytes_of(d), &value, bytes_of(d)); // little-endian
  }
}

/// Values of a file in another order, each perhaps several times or never; real ones of another size, too.
void resample(dtype d, std::string& bytes, random_source& random) {
  const std::string old = bytes;
  std::size_t n = bytes.size() / bytes_of(d);
  for (std::size_t i = 0; i < n; ++i) {
    double value = element(d, old.data(), random.below(n));
    set_element(d, bytes.data(), i, is_floating(d) ? value * (0.5 + random.uniform()) : value);
  }
}

/// Truth values as masks have them: rows without a single one, rows of nothing else, few, nearly all. Now and
/// then all rows are alike.
void draw_truth_values(std::string& bytes, std::size_t last, random_source& random) {
  constexpr std::uint64_t kinds = 5;
  const auto same = random.below(2 * kinds);
  for (std::size_t from = 0; from < bytes.size(); from += std::max<std::size_t>(last, 1)) {
    const auto kind = same < kinds ? same : random.below(kinds);
    for (std::size_t i = from; i < std::min(bytes.size(), from + last); ++i)
      bytes[i] = static_cast<char>(kind == 0   ? 0
                                   : kind == 1 ? 1
                                   : kind == 2 ? random.below(16) == 0
                                   : kind == 3 ? random.below(16) != 0
                                               : random.below(2) == 0);
  }
}

/// Of the kind that a reference without promises has to take: of both signs, not whole, not zero.
double other_value(dtype d, random_source& random) {
  if (d == dtype::boolean)
    return static_cast<double>(random.below(2));
  if (is_floating(d))
    return 2 * random.normal();
  return static_cast<double>(random.below(17)) - (d == dtype::u8 ? 0 : 8);
}

} // namespace

std::optional<value_bounds> bounds_of(const tensor_spec& t, const binding& dims) {
  if (t.range.size() != 2)
    return std::nullopt;
  auto low = real_value(t.range[0], dims), high = real_value(t.range[1], dims);
  if (!low || !high)
    return std::nullopt;
  value_bounds bounds{*low, *high};
  if (!is_floating(t.dtype))
    bounds = {std::ceil(bounds.low), std::floor(bounds.high)};
  if (t.init == "indices")
    bounds.high = std::ceil(*high) - 1;
  bounds.high = std::max(bounds.low, bounds.high);
  return bounds;
}

bool has_form(const tensor_spec& t) {
  static const std::set<std::string> forms{"sorted", "permutation", "offsets", "indices", "mask", "simplex"};
  return forms.count(t.init) > 0;
}

std::vector<value_reach> reaches_of(const tensor_spec& t, const binding& dims) {
  std::vector<value_reach> all;
  bool known = is_drawn(t) || t.init == "zeros" || t.init == "onehot" || t.init.ends_with(".npy");
  if (t.role == tensor_role::out || t.promised || !known)
    return all;
  if (!t.range.empty() || !is_drawn(t) || t.dtype == dtype::boolean)
    return {{value_reach::full, {}}};
  if (is_floating(t.dtype)) // a normal distribution is bent by edges
    return t.init == "normal" ? all : std::vector<value_reach>{{value_reach::full, {}}};
  all.push_back({value_reach::whole, {}});
  all.push_back({value_reach::full, {}});
  if (!is_byte(t.dtype)) {
    all.push_back({value_reach::three_quarters, {}});
    all.push_back({value_reach::half, {}});
  }
  if (t.init != "ints")
    return all;
  std::map<std::int64_t, std::string, std::greater<>> extents; // what it may index
  for (const auto& [symbol, value] : dims)
    if (value > 8)
      extents.emplace(value, symbol);
  for (const auto& [value, symbol] : extents)
    all.push_back({value_reach::below, symbol});
  return all;
}

bool goes_beyond(const problem& what) {
  return std::any_of(what.tensors.begin(), what.tensors.end(),
                     [](const tensor_spec& t) {
                       return t.init == any_mask || t.init == any_fixed || !reaches_of(t, {}).empty();
                     }) ||
         varies_numbers(what);
}

bool varies_numbers(const problem& what) {
  return is_kernelbench(what) && std::any_of(what.scalars.begin(), what.scalars.end(),
                                             [](const scalar_spec& s) { return !s.range.empty(); });
}

double draw_scalar(const scalar_spec& s, random_source& random) {
  if (s.range.size() != 2)
    return s.value;
  auto end = random.below(8);
  if (end < 2)
    return s.range[end];
  double width = s.range[1] - s.range[0];
  return s.integer ? std::min(s.range[1], s.range[0] + std::floor(random.uniform() * (width + 1)))
                   : s.range[0] + random.uniform() * width;
}

double draw_between(const tensor_spec& t, const value_bounds& bounds, random_source& random) {
  auto end = random.below(16);
  if (end < 2)
    return end == 0 ? bounds.low : bounds.high;
  double width = bounds.high - bounds.low;
  if (is_floating(t.dtype))
    return bounds.low + random.uniform() * width;
  return std::min(bounds.high, bounds.low + std::floor(random.uniform() * (width + 1)));
}

namespace {

/// Puts back `usual` but for one to three of the elements that differ.
void keep_few(dtype d, const std::string& usual, std::string& bytes, random_source& random) {
  const std::size_t size = bytes_of(d);
  std::vector<std::size_t> changed;
  for (std::size_t at = 0; at < bytes.size(); at += size)
    if (std::memcmp(&usual[at], &bytes[at], size) != 0)
      changed.push_back(at);
  auto other = std::exchange(bytes, usual);
  for (auto more = 1 + random.below(3); more > 0 && !changed.empty(); --more) {
    auto at = changed[random.below(changed.size())];
    std::memcpy(&bytes[at], &other[at], size);
  }
}

void draw_beyond_all(const tensor_spec& t, std::string& bytes, std::size_t last, const value_reach& reach,
                     const binding& dims, random_source& random) {
  std::size_t n = bytes.size() / bytes_of(t.dtype);
  auto all = [&](auto&& value) {
    for (std::size_t i = 0; i < n; ++i)
      set_element(t.dtype, bytes.data(), i, value());
  };
  if (auto bounds = bounds_of(t, dims)) {
    for (std::size_t i = 0; i < n; ++i)
      set_within(t.dtype, bytes.data(), i, draw_between(t, *bounds, random), bounds);
    return;
  }
  if (t.init.ends_with(".npy"))
    return resample(t.dtype, bytes, random);
  if (t.dtype == dtype::boolean && is_drawn(t))
    return draw_truth_values(bytes, last, random);
  if (t.init == "onehot") { // another value, and a second one
    for (std::size_t row = 0; last > 0 && row < n / last; ++row)
      for (int twice = 0; twice < 2; ++twice)
        set_element(t.dtype, bytes.data(), row * last + random.below(last), other_value(t.dtype, random));
    return;
  }
  if (t.init == "zeros" || (t.init == "ints" && is_floating(t.dtype)))
    return all([&] { return other_value(t.dtype, random); });
  if (is_floating(t.dtype))
    return all([&] { return 4 * random.uniform() - 2; });
  if (reach.kind == value_reach::below) {
    auto at = dims.find(reach.symbol);
    auto extent = at == dims.end() ? std::int64_t{1} : std::max<std::int64_t>(at->second, 1);
    return all([&] { return static_cast<double>(random.below(static_cast<std::uint64_t>(extent))); });
  }
  if (reach.kind == value_reach::whole)
    return draw_whole(t.dtype, bytes, random);
  int bits = bits_of(t.dtype);
  draw_integers(t.dtype, bytes,
                reach.kind == value_reach::full   ? bits
                : reach.kind == value_reach::half ? bits / 2
                                                  : bits * 3 / 4,
                random);
}

} // namespace

void draw_beyond(const tensor_spec& t, std::string& bytes, std::size_t last, const value_reach& reach,
                 const binding& dims, random_source& random) {
  if (reach.kind == value_reach::none || bytes.empty())
    return;
  const std::string usual = reach.few ? bytes : std::string{};
  draw_beyond_all(t, bytes, last, reach, dims, random);
  if (reach.few)
    keep_few(t.dtype, usual, bytes, random);
}

} // namespace ke
