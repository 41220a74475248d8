#include "backends/judge/expectation.hpp"

#include "backends/device/side_by_side.hpp"
#include "backends/judge/inputs.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>
#include <mutex>
#include <utility>

namespace ke {
namespace {

/// Of the rounding to eight bits: one to sixteen bits before it (f16).
constexpr double again_rounded = 0x1p-6;

/// What an honest kernel may be off by next to zero: the smallest normal number, as results below it may be
/// flushed; where steps are wide, one of them (f16), or what rounding costs (eight bits).
double tiny_of(dtype d) {
  switch (d) {
  case dtype::f64:
    return 0x1p-1022;
  case dtype::f16:
    return least_step(d);
  case dtype::f8e4m3:
  case dtype::f8e5m2:
    return least_step(d) / 2;
  default:
    return 0x1p-126;
  }
}

long double truth_at(dtype d, const void* truth, bool wide, std::size_t i) {
  return wide ? sayable(d, wide_element(d, truth, i)) : static_cast<long double>(element(d, truth, i));
}

template <class T>
void note(check_outcome& out, std::size_t i, T y, T low, T high) {
  if (out.failed++ == 0) {
    out.first = i;
    out.got = static_cast<double>(y);
    bool number = low <= high;
    out.expected = number ? (static_cast<double>(low) + static_cast<double>(high)) / 2 : std::nan("");
    out.bound = number ? (static_cast<double>(high) - static_cast<double>(low)) / 2 : 0;
  }
}

template <class T>
void check_part(check_outcome& out, const T* y, const T* low, const T* high, std::size_t begin,
                std::size_t n) {
  // Blocks: first only "is all well", which vectorises, then element by element where it is not.
  constexpr std::size_t block = 1024;
  T worst = 0;
  for (std::size_t from = begin; from < n; from += block) {
    std::size_t to = std::min(n, from + block);
    unsigned bad = 0;
    for (std::size_t i = from; i < to; ++i)
      bad |= static_cast<unsigned>(!(y[i] >= low[i] && y[i] <= high[i]));
    T here = 0;
    for (std::size_t i = from; i < to; ++i) {
      T middle = low[i] / 2 + high[i] / 2, half = high[i] / 2 - low[i] / 2;
      T scaled = half > 0 ? std::fabs(y[i] - middle) / half : T{0};
      here = scaled > here ? scaled : here;
    }
    if (!bad) {
      worst = std::max(worst, here);
      continue;
    }
    for (std::size_t i = from; i < to; ++i) {
      bool nan_wanted = !(low[i] <= high[i]);
      bool exempt = std::isinf(low[i]) && low[i] < 0 && std::isinf(high[i]) && high[i] > 0;
      bool right = exempt || (nan_wanted ? std::isnan(y[i]) : y[i] >= low[i] && y[i] <= high[i]);
      if (right)
        continue;
      note(out, i, y[i], low[i], high[i]);
      T half = high[i] / 2 - low[i] / 2;
      double scaled = std::isfinite(y[i]) && half > 0
                          ? static_cast<double>(std::fabs(y[i] - (low[i] / 2 + high[i] / 2)) / half)
                          : infinite;
      out.worst = std::max(out.worst, scaled);
    }
  }
  out.worst = std::max(out.worst, static_cast<double>(worst));
}

template <class T>
void check_interval(check_outcome& out, const T* y, const T* low, const T* high, std::size_t n) {
  std::mutex mutex;
  side_by_side(n, elements_of_a_thread, [&](std::size_t from, std::size_t to) {
    check_outcome part;
    check_part(part, y, low, high, from, to);
    std::lock_guard lock{mutex};
    bool earlier = part.failed != 0 && (out.failed == 0 || part.first < out.first);
    auto failed = out.failed + part.failed;
    auto worst = std::max(out.worst, part.worst);
    if (earlier)
      out = part;
    out.failed = failed;
    out.worst = worst;
  });
}

} // namespace

namespace {

/// What a transform may err, in errors of a sum of `reduction` terms: its largest intermediate value is of few terms, too, and the
/// fewer an output adds up, the less of it is in any output (decision 0034 has the measurement).
double of_transform(double transforms, double reduction) {
  constexpr double few = 24, fewest = 9; // of one channel, three by three
  return transforms > 1 ? transforms * (1 + few / std::max(reduction, fewest)) : 1;
}

/// Where the truth is the reference itself: torch.testing's tolerances, and in eight bits, for which that has
/// none, the reference's neighbours, as it may lie between two.
comparison_rule without_wider_truth(dtype d) {
  comparison_rule rule;
  rule.absolute = is_float8(d) ? least_step(d) : 1e-5;
  rule.relative = d == dtype::f64   ? 1e-7
                  : d == dtype::f32 ? 1.3e-6
                  : d == dtype::f16 ? 1e-3
                  : is_float8(d)    ? 2 * unit_roundoff(d)
                                    : 1.6e-2;
  return rule;
}

} // namespace

comparison_rule rule_for(const problem& what, dtype d, bool widened, double reduction, double equal_terms,
                         double transforms) {
  comparison_rule rule;
  rule.exact = what.bitwise || !is_floating(d);
  if (what.bitwise)
    return rule;
  rule.of_largest = what.tensor_scale && is_floating(d);
  if (auto own = what.tolerances.find(std::string{to_text(d)}); own != what.tolerances.end()) {
    rule.relative = own->second.rtol;
    rule.absolute = own->second.atol;
    return rule;
  }
  if (rule.exact)
    return rule;
  if (!widened) {
    auto fallback = without_wider_truth(d);
    fallback.of_largest = rule.of_largest;
    return fallback;
  }
  constexpr double c = 4, single = 0x1p-24;
  double terms = reduction > 1 ? std::sqrt(reduction) : 0;
  if (equal_terms > 0)
    terms = std::max(terms, terms / 2 + equal_terms / (2 * c));
  double g = (4 + terms) * (rule.of_largest ? of_transform(transforms, reduction) : 1), u = unit_roundoff(d);
  rule.larger = true;
  // Four times the rounding of eight bits would be a quarter of a result, or half of it.
  rule.relative = is_float8(d) ? (1 + again_rounded) * u + c * single * g
                  : u > single ? c * (u + single * g)
                               : c * u * g;
  return rule;
}

namespace {

/// The usual case, f32 against double, without a branch on the dtype per element.
double reference_error_f32(const double* truth, const float* reference, std::size_t begin,
                           std::size_t elements) {
  constexpr double u = 0x1p-24;
  double worst = 0;
  for (std::size_t i = begin; i < elements; ++i) {
    double t = truth[i], r = reference[i], size = std::fabs(t);
    bool finite = size <= f32_border;
    if (!finite || !(std::fabs(r) <= std::numeric_limits<float>::max())) {
      bool both_nan = std::isnan(t) && std::isnan(r),
           same_infinity = size > f32_border && r == std::copysign(infinite, t);
      if (!both_nan && !same_infinity)
        return -1;
      continue;
    }
    double error = std::fabs(r - t) - u * size;
    worst = error > worst ? error : worst;
  }
  return worst;
}

/// Real: double, or float where the truth is as wide as the result.
template <class Real>
void expect_f32(expectation& e, const Real* truth, const comparison_rule& rule, std::size_t from,
                std::size_t to) {
  constexpr double largest = std::numeric_limits<float>::max(), tiny = 0x1p-126;
  for (std::size_t i = from; i < to; ++i) {
    double t = static_cast<double>(truth[i]), size = std::fabs(t), low = infinite, high = -infinite;
    if (size <= f32_border) {
      double bound = rule.larger ? std::max(rule.relative * size, rule.absolute) + tiny
                                 : rule.relative * size + rule.absolute;
      low = std::max(t - bound, -largest);
      high = std::min(t + bound, largest);
    } else if (!std::isnan(t)) {
      low = high = std::copysign(infinite, t);
    }
    e.low[i] = static_cast<float>(low);
    e.high[i] = static_cast<float>(high);
  }
}

} // namespace

namespace {

double reference_error_of(dtype d, const void* truth, bool wide, const void* reference, double times,
                          std::size_t begin, std::size_t end) {
  double worst = 0;
  for (std::size_t i = begin; i < end; ++i) {
    auto t = truth_at(d, truth, wide, i);
    double r = element(d, reference, i);
    bool finite = std::isfinite(t);
    if (finite != std::isfinite(r))
      return -1;
    if (!finite) {
      if (std::isnan(t) != std::isnan(r) || (!std::isnan(r) && static_cast<double>(t) != r))
        return -1;
      continue;
    }
    double error = static_cast<double>(std::fabs(static_cast<long double>(r) - t)) -
                   times * rounding_of(d, static_cast<double>(t));
    worst = error > worst ? error : worst;
  }
  return worst;
}

} // namespace

double reference_error(dtype d, const void* truth, bool wide, const void* reference, std::size_t elements) {
  double times = is_rounded(d, truth, wide, elements) ? 2 : 1, worst = 0;
  std::mutex mutex;
  side_by_side(elements, elements_of_a_thread, [&](std::size_t from, std::size_t to) {
    auto part = d == dtype::f32 && wide ? reference_error_f32(static_cast<const double*>(truth),
                                                              static_cast<const float*>(reference), from, to)
                                        : reference_error_of(d, truth, wide, reference, times, from, to);
    std::lock_guard lock{mutex};
    worst = part < 0 || worst < 0 ? -1 : std::max(worst, part);
  });
  return worst;
}

double largest_seen(dtype d, const void* data, std::size_t elements) {
  double largest = 0;
  for (std::size_t e = 0, step = elements / 8192 + 1; e < elements; e += step)
    if (double v = std::fabs(element(d, data, e)); std::isfinite(v))
      largest = std::max(largest, v);
  return largest;
}

bool is_rounded(dtype d, const void* truth, bool wide, std::size_t elements) {
  if (!is_float8(d) || !wide)
    return false;
  for (std::size_t i = 0; i < elements; ++i) {
    auto t = truth_as(d, truth, i);
    if (std::isfinite(t) && float8_value(d, float8_bits(d, t)) != t)
      return false;
  }
  return true;
}

double truth_as(dtype d, const void* truth, std::size_t i) {
  return static_cast<double>(truth_at(d, truth, true, i));
}

void exempt_element(expectation& e, std::size_t i) {
  if (!e.exact.empty()) {
    e.exempt.resize(e.elements, '\0');
    e.exempt[i] = '\1';
  } else if (!e.low64.empty()) {
    e.low64[i] = -infinite;
    e.high64[i] = infinite;
  } else {
    e.low[i] = -std::numeric_limits<float>::infinity();
    e.high[i] = std::numeric_limits<float>::infinity();
  }
  if (!e.rounded.empty())
    e.rounded[i] = expectation::any;
}

std::size_t exempt_elements(const expectation& e) {
  auto count = static_cast<std::size_t>(std::count(e.exempt.begin(), e.exempt.end(), '\1'));
  for (std::size_t i = 0; i < e.low.size(); ++i)
    count += std::isinf(e.low[i]) && std::isinf(e.high[i]) && e.low[i] < 0 && e.high[i] > 0;
  for (std::size_t i = 0; i < e.low64.size(); ++i)
    count += std::isinf(e.low64[i]) && std::isinf(e.high64[i]) && e.low64[i] < 0 && e.high64[i] > 0;
  return count;
}

std::size_t expectation::bytes() const {
  return exact.size() + exempt.size() + (low.size() + high.size()) * sizeof(float) +
         (low64.size() + high64.size()) * sizeof(double) + rounded.size() * sizeof(std::int16_t);
}

namespace {

/// The least and the greatest value that pass for `t`. `rounded`: an honest kernel may round the other way.
std::pair<double, double> allowed(dtype d, long double t, const comparison_rule& rule, bool rounded) {
  if (std::isnan(t))
    return {infinite, -infinite};
  if (std::isinf(t))
    return {static_cast<double>(t), static_cast<double>(t)};
  double size = static_cast<double>(std::fabs(t)), tiny = tiny_of(d), relative = rule.relative;
  if (rounded) {
    tiny += least_step(d) / 2;
    relative += unit_roundoff(d);
  }
  // `absolute` is a multiple of an error beyond the rounding of a result, which in few bits is as large.
  double rounding = unit_roundoff(d) > unit_roundoff(dtype::f32) ? unit_roundoff(d) * size : 0;
  double bound = rule.larger
                     ? std::max(relative * size, rule.absolute > 0 ? rule.absolute + rounding : 0) + tiny
                     : relative * size + rule.absolute;
  // No number of eight bits lies beyond the largest: the middle may stay where the truth is.
  double most = is_float8(d) ? infinite : largest_finite(d);
  return {std::max(static_cast<double>(t - bound), -most), std::min(static_cast<double>(t + bound), most)};
}

/// The same bound for every element: `rule` for the largest finite truth.
comparison_rule for_the_largest(dtype d, const void* truth, bool wide, std::size_t elements,
                                comparison_rule rule) {
  double largest = 0;
  for (std::size_t i = 0; i < elements; ++i)
    if (auto size = std::fabs(static_cast<double>(truth_at(d, truth, wide, i))); std::isfinite(size))
      largest = std::max(largest, size);
  rule.absolute = rule.larger ? std::max(rule.relative * largest, rule.absolute)
                              : rule.relative * largest + rule.absolute;
  rule.relative = 0;
  rule.of_largest = false;
  return rule;
}

void expect_part(expectation& e, const void* truth, bool wide, const comparison_rule& rule, bool rounded,
                 std::size_t from, std::size_t to) {
  for (std::size_t i = from; i < to; ++i) {
    auto t = truth_at(e.dtype, truth, wide, i);
    auto [low, high] = allowed(e.dtype, t, rule, rounded);
    if (rounded && std::isfinite(t) && rule.absolute <= rule.relative * static_cast<double>(std::fabs(t)))
      e.rounded[i] = float8_bits(e.dtype, static_cast<double>(t));
    if (e.dtype == dtype::f64) {
      e.low64[i] = low;
      e.high64[i] = high;
    } else {
      // Nearest float: the border moves by at most half a step, far inside every rule but the exact one.
      e.low[i] = static_cast<float>(low);
      e.high[i] = static_cast<float>(high);
    }
  }
}

} // namespace

expectation expect(dtype d, const void* truth, bool wide, std::size_t elements, const comparison_rule& rule) {
  if (rule.of_largest && !rule.exact)
    return expect(d, truth, wide, elements, for_the_largest(d, truth, wide, elements, rule));
  expectation e;
  e.dtype = d;
  e.elements = elements;
  if (rule.exact) {
    e.exact.assign(static_cast<const char*>(truth), elements * bytes_of(d));
    e.relative = rule.relative;
    e.absolute = rule.absolute;
    return e;
  }
  bool big = d == dtype::f64;
  e.low64.resize(big ? elements : 0);
  e.high64.resize(big ? elements : 0);
  e.low.resize(big ? 0 : elements);
  e.high.resize(big ? 0 : elements);
  bool rounded = rule.larger && is_rounded(d, truth, wide, elements);
  e.rounded.assign(rounded ? elements : 0, expectation::any);
  side_by_side(elements, elements_of_a_thread, [&](std::size_t from, std::size_t to) {
    if (d == dtype::f32 && wide)
      expect_f32(e, static_cast<const double*>(truth), rule, from, to);
    else if (d == dtype::f32)
      expect_f32(e, static_cast<const float*>(truth), rule, from, to);
    else
      expect_part(e, truth, wide, rule, rounded, from, to);
  });
  return e;
}

namespace {

/// Whole numbers of 64 bits fit a long double exactly.
long double whole_element(dtype d, const void* data, std::size_t i) {
  if (d != dtype::i64)
    return static_cast<long double>(element(d, data, i));
  std::int64_t value = 0;
  std::memcpy(&value, static_cast<const char*>(data) + i * sizeof value, sizeof value);
  return static_cast<long double>(value);
}

void check_exact(check_outcome& out, const expectation& e, const void* got) {
  if (std::memcmp(e.exact.data(), got, e.exact.size()) == 0)
    return;
  std::size_t size = bytes_of(e.dtype);
  bool floating = is_floating(e.dtype), slack = !floating && (e.relative > 0 || e.absolute > 0);
  for (std::size_t i = 0; i < e.elements; ++i) {
    if (std::memcmp(e.exact.data() + i * size, static_cast<const char*>(got) + i * size, size) == 0 ||
        (!e.exempt.empty() && e.exempt[i]))
      continue;
    if (floating && std::isnan(element(e.dtype, e.exact.data(), i)) && std::isnan(element(e.dtype, got, i)))
      continue;
    double scaled = infinite, bound = 0;
    if (slack) {
      auto want = whole_element(e.dtype, e.exact.data(), i);
      auto allowed =
          static_cast<long double>(e.absolute) + static_cast<long double>(e.relative) * std::fabs(want);
      auto error = std::fabs(whole_element(e.dtype, got, i) - want);
      bound = static_cast<double>(allowed);
      scaled = static_cast<double>(error / allowed);
      if (error <= allowed) {
        out.worst = std::max(out.worst, scaled);
        continue;
      }
    }
    out.worst = std::max(out.worst, scaled);
    if (out.failed++ == 0) {
      out.first = i;
      out.expected = element(e.dtype, e.exact.data(), i);
      out.got = element(e.dtype, got, i);
      out.bound = bound;
    }
  }
}

/// Adds neighbours of a rounded truth, if they are too many (`expectation::rounded`).
void check_roundings(check_outcome& out, const expectation& e, const unsigned char* got) {
  constexpr std::size_t one_in = 8, by_chance = 8;
  check_outcome apart;
  std::size_t counted = 0;
  for (std::size_t i = 0; i < e.rounded.size(); ++i) {
    if (e.rounded[i] == expectation::any)
      continue;
    ++counted;
    auto want = static_cast<unsigned char>(e.rounded[i]);
    if (got[i] != want && ((got[i] | want) & 0x7f) != 0) { // zeros of either sign are one number
      auto t = float8_value(e.dtype, want);
      note(apart, i, float8_value(e.dtype, got[i]), t, t);
    }
  }
  if (out.failed > 0 || apart.failed <= counted / one_in + by_chance)
    return;
  apart.worst =
      std::max(out.worst, static_cast<double>(one_in * apart.failed) / static_cast<double>(counted));
  out = apart;
}

} // namespace

check_outcome check(const expectation& e, const void* got) {
  check_outcome out;
  if (!e.exact.empty()) {
    check_exact(out, e, got);
    return out;
  }
  if (e.dtype == dtype::f64) {
    check_interval(out, static_cast<const double*>(got), e.low64.data(), e.high64.data(), e.elements);
  } else if (e.dtype == dtype::f32) {
    check_interval(out, static_cast<const float*>(got), e.low.data(), e.high.data(), e.elements);
  } else {
    std::vector<float> values(e.elements);
    side_by_side(e.elements, elements_of_a_thread, [&](std::size_t from, std::size_t to) {
      for (std::size_t i = from; i < to; ++i)
        values[i] = static_cast<float>(element(e.dtype, got, i));
    });
    check_interval(out, values.data(), e.low.data(), e.high.data(), e.elements);
    check_roundings(out, e, static_cast<const unsigned char*>(got));
  }
  return out;
}

} // namespace ke
