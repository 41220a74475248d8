#include "backends/judge/edges.hpp"

#include "backends/device/side_by_side.hpp"
#include "backends/judge/inputs.hpp"
#include "runtime/core/generated_init.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <mutex>
#include <utility>

namespace ke {
namespace {

double near_root_of_largest(dtype d) {
  switch (d) {
  case dtype::f64:
    return 0x1p500;
  case dtype::f16:
  case dtype::f8e5m2:
    return 0x1p6;
  case dtype::f8e4m3:
    return 0x1p2;
  default:
    return 0x1p60;
  }
}

double below_normal(dtype d) {
  switch (d) {
  case dtype::f64:
    return 0x1p-1030;
  case dtype::f16:
    return 0x1p-17;
  case dtype::f8e4m3:
    return 0x1p-7;
  case dtype::f8e5m2:
    return 0x1p-15;
  default:
    return 0x1p-131;
  }
}

/// So far above values of size 1 that their squares lose them in arithmetic of that width, and they are kept
/// themselves.
double far_offset(dtype d) {
  switch (d) {
  case dtype::f64:
    return 0x1p24;
  case dtype::f32:
    return 0x1p10;
  case dtype::f16:
    return 0x1p6;
  case dtype::f8e4m3:
  case dtype::f8e5m2:
    return 0x1p2;
  default:
    return 0x1p3;
  }
}

bool leaves_integers(edge_kind k) {
  return k == edge_kind::one_huge || k == edge_kind::huge || k == edge_kind::masked ||
         k == edge_kind::infinity || k == edge_kind::nan;
}

/// Of one dtype, looked up once for all elements.
class element_rule {
public:
  explicit element_rule(dtype d)
      : near_{std::max(0x1p-7, (is_float8(d) ? 2 : 8) * unit_roundoff(d))},
        tiny_{is_float8(d) ? least_step(d) : double{std::numeric_limits<float>::min()}},
        roundoff_{unit_roundoff(d)}, half_step_{least_step(d) / 2} {}

  /// Whether the reference stands by its own element: it says what the wider arithmetic says. In eight bits a neighbour is
  /// far away: it stands by no more than that.
  bool stands(double r, double t) const {
    if (std::isnan(r) || std::isnan(t))
      return std::isnan(r) && std::isnan(t);
    if (std::isinf(r) || std::isinf(t))
      return r == t;
    return std::fabs(r - t) <= near_ * std::fabs(t) + tiny_;
  }
  /// rounding_of(d, t)
  double rounding(double t) const { return std::max(roundoff_ * std::fabs(t), half_step_); }

private:
  double near_, tiny_, roundoff_, half_step_;
};

} // namespace

std::vector<edge_kind> edges_of(const problem& what) {
  if (std::none_of(what.tensors.begin(), what.tensors.end(), bends))
    return {};
  std::vector<edge_kind> kinds{edge_kind::wide, edge_kind::tail, edge_kind::steps, edge_kind::offset};
  // What a transform adds up on the way is larger than any output, and may hold one element that hardly any
  // output has much of.
  if (!what.tensor_scale)
    kinds.insert(kinds.end(), {edge_kind::one_huge, edge_kind::huge});
  if (!what.policy.fast_math)
    kinds.insert(kinds.end(), {edge_kind::subnormal, edge_kind::signed_zero});
  // A transform carries what is not finite into outputs that do not depend on it.
  if (!what.policy.fast_math && !what.tensor_scale)
    kinds.insert(kinds.end(), {edge_kind::masked, edge_kind::infinity, edge_kind::nan});
  return kinds;
}

bool bends(const tensor_spec& t) {
  return t.role != tensor_role::out && is_floating(t.dtype) &&
         (t.init == "normal" || t.init == "uniform" || t.init == any_real || t.init == any_magnitude) &&
         t.range.empty() && !t.promised;
}

bool flips(const tensor_spec& t) {
  return t.init == any_magnitude || t.init == structured_magnitude;
}

bool draws_values(const tensor_spec& t) {
  return bends(t) ||
         (t.role != tensor_role::out && is_floating(t.dtype) &&
          (t.init == "get_inputs" || t.init == generated_init || t.init == any_mask || t.init == any_fixed ||
           t.init == structured_real || flips(t) || t.init == "normal" || t.init == "uniform"));
}

std::vector<std::size_t> special_places(std::size_t elements, random_source& random) {
  if (elements == 0)
    return {};
  std::vector<std::size_t> places{0, elements - 1, random.below(elements)};
  std::sort(places.begin(), places.end());
  places.erase(std::unique(places.begin(), places.end()), places.end());
  return places;
}

namespace {

void scale(dtype d, std::string& bytes, std::size_t i, double by) {
  double value = element(d, bytes.data(), i) * by, most = largest_finite(d);
  set_element(d, bytes.data(), i, std::clamp(value, -most, most));
}

/// The kinds that treat each of the elements by itself.
void bend_each(edge_kind kind, dtype d, std::string& bytes, std::size_t i, std::size_t last,
               random_source& random) {
  if (kind == edge_kind::wide)
    scale(d, bytes, i, 200);
  else if (kind == edge_kind::tail)
    scale(d, bytes, i, last >= 8 && i % last >= last - last / 8 ? 64 : 0x1p-6);
  else if (kind == edge_kind::huge)
    scale(d, bytes, i, near_root_of_largest(d));
  else if (kind == edge_kind::subnormal)
    scale(d, bytes, i, below_normal(d));
  else if (kind == edge_kind::offset)
    set_element(d, bytes.data(), i, element(d, bytes.data(), i) + far_offset(d));
  else if (kind == edge_kind::signed_zero && random.below(3) == 0)
    set_element(d, bytes.data(), i, random.below(2) ? 0.0 : -0.0);
}

/// One up and another down.
void bend_one(dtype d, std::string& bytes, std::size_t n, random_source& random) {
  const double by = d == dtype::f16 || is_float8(d) ? 0x1p10 : 0x1p20;
  auto at = random.below(n), other = random.below(n);
  auto sign = [&](std::size_t i) { return element(d, bytes.data(), i) < 0 ? -1.0 : 1.0; };
  scale(d, bytes, at, n == 1 && random.below(2) ? -by : by * sign(at)); // up: down alone is nothing to many
  if (other != at)
    scale(d, bytes, other, -by * sign(other));
}

void round_to_steps(dtype d, std::string& bytes, std::size_t n, random_source& random) {
  constexpr std::size_t block = 64;
  for (std::size_t from = 0; from < n; from += block) {
    // A factor of the operator's own may lie between its steps and ours: finer ones, too.
    double steps = random.below(2) ? 2 : std::ldexp(1, 1 + static_cast<int>(random.below(6)));
    for (std::size_t i = from; i < std::min(n, from + block); ++i)
      set_element(d, bytes.data(), i, std::nearbyint(steps * element(d, bytes.data(), i)) / steps);
  }
}

double special_value(edge_kind kind, std::size_t place) {
  if (kind == edge_kind::nan)
    return std::nan("");
  return kind == edge_kind::infinity && place % 2 ? infinite : -infinite;
}

} // namespace

void bend(edge_kind kind, dtype d, std::string& bytes, std::size_t last,
          const std::vector<std::size_t>& places, random_source& random) {
  std::size_t n = bytes.size() / bytes_of(d);
  if (n == 0)
    return;
  switch (kind) {
  case edge_kind::plain:
    return;
  case edge_kind::one_huge:
    return bend_one(d, bytes, n, random);
  case edge_kind::steps:
    return round_to_steps(d, bytes, n, random);
  case edge_kind::masked:
  case edge_kind::infinity:
  case edge_kind::nan:
    for (std::size_t p = 0; p < places.size(); ++p)
      set_element(d, bytes.data(), places[p], special_value(kind, p));
    return;
  default:
    for (std::size_t i = 0; i < n; ++i)
      bend_each(kind, d, bytes, i, last, random);
  }
}

double standing_error(dtype d, const void* truth, const void* reference, std::size_t elements) {
  const element_rule rule{d};
  double worst = 0, times = is_rounded(d, truth, true, elements) ? 2 : 1;
  for (std::size_t i = 0; i < elements; ++i)
    if (double r = element(d, reference, i), t = truth_as(d, truth, i); rule.stands(r, t) && std::isfinite(r))
      worst = std::max(worst, std::fabs(r - t) - times * rule.rounding(t));
  return worst;
}

namespace {

/// What reference and truth say to an edge's inputs.
struct edge_comparison {
  std::string exempt;     ///< per element: 1 where they don't speak of the same
  bool nan_counts = true; ///< where a NaN of the inputs reaches, both say NaN
  double worst = 0;       ///< of the others: beyond their roundings
};

/// truth_as() of f32, where most of the elements are.
double as_f32_says(double t) {
  return std::fabs(t) > f32_border ? std::copysign(infinite, t) : t;
}

bool is_touched(const edge_facts& facts, std::size_t i) {
  return i < facts.touched.size() && facts.touched[i] != 0;
}

/// `said(i)`: what reference and truth say there. Of the elements [from, to).
template <class Said>
edge_comparison compare_part(dtype d, const edge_facts& facts, double times, std::size_t from, std::size_t to,
                             std::string& exempt, const Said& said) {
  const element_rule rule{d};
  edge_comparison part;
  for (std::size_t i = from; i < to; ++i) {
    auto [r, t] = said(i);
    bool reached_alone = is_touched(facts, i) && !(std::isnan(r) && std::isnan(t));
    part.nan_counts = part.nan_counts && !reached_alone;
    exempt[i] = !rule.stands(r, t) || reached_alone;
    if (!exempt[i] && std::isfinite(r))
      part.worst = std::max(part.worst, std::fabs(r - t) - times * rule.rounding(t));
  }
  return part;
}

edge_comparison compare_at_edge(dtype d, const void* truth, bool wide, const void* reference,
                                std::size_t elements, const edge_facts& facts) {
  edge_comparison all{std::string(elements, '\0'), facts.kind == edge_kind::nan, facts.error_backwards};
  const double times = is_rounded(d, truth, wide, elements) ? 2 : 1;
  std::mutex mutex;
  auto any = [&](std::size_t i) {
    double r = element(d, reference, i);
    return std::pair{r, wide ? truth_as(d, truth, i) : r};
  };
  auto usual = [&, r = static_cast<const float*>(reference), t = static_cast<const double*>(truth)](
                   std::size_t i) { return std::pair{double{r[i]}, as_f32_says(t[i])}; };
  side_by_side(elements, elements_of_a_thread, [&](std::size_t from, std::size_t to) {
    auto part = d == dtype::f32 && wide ? compare_part(d, facts, times, from, to, all.exempt, usual)
                                        : compare_part(d, facts, times, from, to, all.exempt, any);
    std::lock_guard lock{mutex};
    all.nan_counts = all.nan_counts && part.nan_counts;
    all.worst = std::max(all.worst, part.worst);
  });
  return all;
}

} // namespace

expectation expect_edge(dtype d, const void* truth, bool wide, const void* reference, std::size_t elements,
                        comparison_rule rule, const edge_facts& facts) {
  bool floating = is_floating(d);
  if (rule.exact) {
    auto e = expect(d, reference, false, elements, rule);
    if (!floating && leaves_integers(facts.kind))
      e.exempt.assign(elements, '\1');
    return e;
  }
  auto compared = compare_at_edge(d, truth, wide, reference, elements, facts);
  if (rule.larger)
    rule.absolute = std::max({facts.kind == edge_kind::subnormal ? 0 : rule.absolute,
                              facts.reference_errors * compared.worst, facts.flushed});
  auto e = expect(d, truth, wide, elements, rule);
  side_by_side(elements, elements_of_a_thread, [&](std::size_t from, std::size_t to) {
    for (std::size_t i = from; i < to; ++i)
      if (compared.exempt[i] ||
          (std::isnan(element(d, reference, i)) && !(compared.nan_counts && is_touched(facts, i))))
        exempt_element(e, i);
  });
  return e;
}

} // namespace ke
