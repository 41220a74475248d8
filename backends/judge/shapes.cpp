#include "backends/judge/shapes.hpp"

#include "backends/judge/extents.hpp"
#include "backends/judge/shape_rules.hpp"
#include "runtime/text/expression.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

namespace ke {
namespace {

/// Whether each tensor holds something, and none more than `most`.
bool fits(const bound_shapes& shapes, std::size_t most) {
  return std::all_of(shapes.elements.begin(), shapes.elements.end(),
                     [&](std::size_t e) { return e >= 1 && e <= most; });
}

} // namespace

std::size_t elements_of(const bound_shapes& shapes) {
  return std::accumulate(shapes.elements.begin(), shapes.elements.end(), std::size_t{0});
}

std::size_t smallest_of(const std::vector<bound_shapes>& all) {
  constexpr std::size_t few = 64;
  auto rank = [](const bound_shapes& s) { return std::pair{elements_of(s) < few, elements_of(s)}; };
  auto found = std::min_element(all.begin(), all.end(),
                                [&](const auto& a, const auto& b) { return rank(a) < rank(b); });
  return static_cast<std::size_t>(found - all.begin());
}

std::string dims_text(const std::map<std::string, std::int64_t>& dims) {
  std::string text;
  for (const auto& [symbol, extent] : dims)
    text += (text.empty() ? "" : ",") + symbol + '=' + std::to_string(extent);
  return text;
}

std::optional<std::size_t> largest_where(const std::vector<bound_shapes>& all,
                                         const std::function<bool(std::size_t)>& may) {
  std::optional<std::size_t> found;
  for (std::size_t i = 0; i < all.size(); ++i)
    if ((!may || may(i)) && (!found || elements_of(all[*found]) < elements_of(all[i])))
      found = i;
  return found;
}

result<bound_shapes> bind_shapes(const problem& what, const std::string& name,
                                 const std::map<std::string, std::int64_t>& dims) {
  bound_shapes out;
  out.name = name;
  out.dims = dims;
  for (const auto& d : what.dims)
    if (!dims.count(d))
      return failure{failure_kind::invalid, "workload " + name + " gives the dim " + d + " no value"};
  for (const auto& t : what.tensors) {
    std::vector<std::int64_t> shape;
    std::size_t elements = 1;
    for (const auto& e : t.shape) {
      auto value = integer_value(e, dims);
      if (!value)
        return failure{failure_kind::invalid, "workload " + name + ", tensor " + t.name + ", dimension \"" +
                                                  e + "\": " + value.error().text};
      if (*value < 0 || (*value > 0 && elements > (std::size_t{1} << 36) / static_cast<std::size_t>(*value)))
        return failure{failure_kind::invalid, "workload " + name + ", tensor " + t.name + ": dimension \"" +
                                                  e + "\" is " + std::to_string(*value)};
      shape.push_back(*value);
      elements *= static_cast<std::size_t>(*value);
    }
    out.shapes.push_back(std::move(shape));
    out.elements.push_back(elements);
  }
  return out;
}

result<std::vector<bound_shapes>> bind_workloads(const problem& what) {
  std::vector<bound_shapes> all;
  for (const auto& w : what.workloads) {
    auto bound = bind_shapes(what, w.name, w.dims);
    if (!bound)
      return bound.error();
    all.push_back(*std::move(bound));
  }
  return all;
}

namespace {

/// The ways of drawing each symbol, one as often as another.
std::map<std::string, std::vector<std::size_t>> deal_ways(const shape_rules& rules, random_source& random) {
  std::map<std::string, std::vector<std::size_t>> dealt;
  for (const auto& d : rules.movable()) {
    for (std::size_t way = 0; way < shape_rules::ways; ++way)
      dealt[d].push_back(way);
    random.shuffle(dealt[d]);
  }
  return dealt;
}

template <class Shapes, class Dims>
bool has_dims(const Shapes& all, const Dims& dims) {
  return std::any_of(all.begin(), all.end(), [&](const auto& one) { return one.dims == dims; });
}

} // namespace

std::vector<bound_shapes> secret_shapes(const problem& what, std::size_t count, std::size_t most_elements,
                                        random_source& random) {
  shape_rules rules{what};
  if (rules.movable().empty() || what.workloads.empty())
    return {};
  std::vector<bound_shapes> found;
  auto doubtful = rules.doubtful().size();
  auto dealt = deal_ways(rules, random);
  std::size_t since = 0; // the last one was found
  for (std::size_t tries = 0; found.size() < count && tries < 120 * count; ++tries) {
    auto dims = what.workloads[random.below(what.workloads.size())].dims;
    // What may be a property of the operator moves in some shapes only, so that a reference which does not
    // survive it leaves the others.
    auto place = found.size() % shape_rules::ways;
    bool boldly = doubtful == rules.movable().size() || place % 2 == 1 || place == 6;
    auto lead = random.below(rules.movable().size()); // all at once would be too large, or all small
    for (std::size_t i = 0; const auto& d : rules.movable()) {
      // Small enough to be cheap: the cap for one symbol shrinks as tries go by.
      auto most = i++ == lead          ? static_cast<std::int64_t>(most_elements)
                  : random.below(2)    ? 33
                  : tries < 40 * count ? 1 << 14
                                       : 257;
      auto way = tries - since < 30 ? dealt[d][place] : random.below(shape_rules::ways);
      if (!rules.doubtful().count(d) || (boldly && (doubtful == 1 || random.below(3) > 0)))
        dims[d] = rules.draw(d, dims[d], most, way, random);
    }
    bool apart = rules.assumes_equal() && found.size() % 2 == 1; // what only happens to be the same differs
    rules.mend(dims, apart);
    if (apart)
      rules.part_equals(dims, found.size() % 4 == 1);
    if (!rules.allows(dims, apart))
      continue;
    auto bound = bind_shapes(what, "secret " + std::to_string(found.size() + 1), dims);
    if (!bound || !fits(*bound, most_elements) || has_dims(found, dims) || has_dims(what.workloads, dims))
      continue;
    bound->secret = true;
    found.push_back(*std::move(bound));
    since = tries;
  }
  return found;
}

namespace {

/// A shape with `d` at the upper end of its promise, or as near to it as a small shape comes; the others are
/// small. Nothing if relations leave no such shape.
std::optional<bound_shapes> upper_end(const problem& what, const shape_rules& rules, const std::string& d,
                                      std::size_t most_elements, random_source& random) {
  const auto& promise = what.promise.at(d);
  auto size = std::min(promise.max, static_cast<std::int64_t>(most_elements));
  for (int tries = 1; size >= promise.min && size > 0; ++tries) {
    auto dims = what.workloads[random.below(what.workloads.size())].dims;
    for (const auto& other : rules.movable())
      if (other != d)
        dims[other] = rules.draw(other, dims[other], 9, random.below(shape_rules::ways), random);
    auto wanted = size - size % std::max<std::int64_t>(1, promise.multiple);
    dims[d] = wanted;
    rules.mend(dims);
    if (tries % 8 == 0)
      size /= 2;
    if (dims[d] != wanted || !rules.allows(dims))
      continue;
    auto bound = bind_shapes(what, "secret, " + d + " large", dims);
    if (bound && fits(*bound, most_elements))
      return *std::move(bound);
  }
  return std::nullopt;
}

/// Adds shapes until each symbol that may move has met each kind of extent, as far as there are such shapes.
/// A doubtful one moves alone, so that what the reference does not survive of it takes nothing else along;
/// only where that makes no shape, or too large a one, the others are small.
void meet_each_extent(const problem& what, const shape_rules& rules, std::size_t most_elements,
                      std::vector<bound_shapes>& found, random_source& random) {
  constexpr int most_tries = 12;
  auto range_of = [&](const std::string& d) { return extent_range{rules.least(d), rules.largest_timed(d)}; };
  auto met = [&](const std::string& d, extent_kind kind) {
    auto is = [&](const bound_shapes& s) { return is_of(kind, s.dims.at(d), range_of(d)); };
    return std::any_of(found.begin(), found.end(), is);
  };
  auto value_of = [&](const std::string& d, extent_kind kind) {
    return rules.fitted(d, draw(kind, range_of(d), random));
  };
  /// For a symbol beside the one that is looked for: what it has not met itself, else something small.
  auto beside = [&](const std::string& d, bool small) {
    for (auto kind : extent_kinds)
      if (!small && kind != extent_kind::beyond && !met(d, kind))
        return value_of(d, kind);
    return value_of(d, extent_kind::below_vector);
  };
  auto add = [&](const std::string& d, extent_kind kind, bool small) {
    auto dims = what.workloads[random.below(what.workloads.size())].dims;
    for (const auto& other : rules.movable())
      if (other != d && !rules.doubtful().count(other) && (small || !rules.doubtful().count(d)))
        dims[other] = beside(other, small || kind == extent_kind::beyond);
    dims[d] = value_of(d, kind);
    rules.mend(dims);
    if (!is_of(kind, dims[d], range_of(d)) || !rules.allows(dims))
      return;
    auto bound = bind_shapes(what, "secret " + std::to_string(found.size() + 1), dims);
    if (!bound || !fits(*bound, most_elements))
      return;
    bound->secret = true;
    found.push_back(*std::move(bound));
  };
  for (const auto& d : rules.movable())
    for (auto kind : extent_kinds)
      for (int tries = 0; tries < most_tries && !met(d, kind); ++tries)
        add(d, kind, 2 * tries >= most_tries);
}

} // namespace

std::vector<bound_shapes> secret_shapes(const problem& what, random_source& random,
                                        std::size_t most_elements) {
  shape_rules rules{what};
  bool more = !what.promise.empty() || !rules.doubtful().empty() || rules.assumes_equal();
  auto found = secret_shapes(what, more ? shape_rules::ways : 5, most_elements, random);
  for (const auto& d : rules.movable()) { // whatever the draws above have met
    auto promised = what.promise.find(d);
    if (promised == what.promise.end() || promised->second.max == 0)
      continue;
    auto large = upper_end(what, rules, d, most_elements, random);
    if (!large ||
        std::any_of(found.begin(), found.end(), [&](const auto& s) { return s.dims == large->dims; }))
      continue;
    large->secret = true;
    found.push_back(*std::move(large));
  }
  meet_each_extent(what, rules, most_elements, found, random);
  return found;
}

std::optional<bound_shapes> shape_beside(const problem& what, const bound_shapes& workload,
                                         random_source& random) {
  shape_rules rules{what};
  for (int tries = 0; tries < 16; ++tries) {
    auto dims = workload.dims;
    bool boldly = rules.doubtful().size() == rules.movable().size() || tries < 4;
    for (const auto& d : rules.movable())
      if (!rules.doubtful().count(d) || (boldly && dims[d] > 8))
        dims[d] = rules.below(d, dims[d], 1 + 2 * static_cast<std::int64_t>(random.below(8)));
    rules.mend(dims);
    if (dims == workload.dims || !rules.allows(dims))
      continue;
    auto bound = bind_shapes(what, "secret, beside " + workload.name, dims);
    if (!bound || std::any_of(bound->elements.begin(), bound->elements.end(), [](auto e) { return e == 0; }))
      continue;
    bound->secret = true;
    // No more memory than twice what the workload takes.
    if (elements_of(*bound) <= 2 * elements_of(workload))
      return *std::move(bound);
  }
  return std::nullopt;
}

bool is_promised(const problem& what, const std::map<std::string, std::int64_t>& dims) {
  return std::any_of(what.workloads.begin(), what.workloads.end(), [&](const workload& w) {
    return std::all_of(dims.begin(), dims.end(), [&](const auto& symbol) {
      auto usual = w.dims.find(symbol.first);
      return what.promise.count(symbol.first) > 0 ||
             (usual != w.dims.end() && usual->second == symbol.second);
    });
  });
}

std::vector<bound_shapes> edge_shapes(const problem& what, const std::map<std::string, std::int64_t>& from) {
  std::vector<bound_shapes> found;
  shape_rules rules{what};
  auto add = [&](const std::string& name, const std::map<std::string, std::int64_t>& dims) {
    if (!rules.allows(dims) || has_dims(found, dims))
      return;
    auto bound = bind_shapes(what, name, dims);
    if (!bound)
      return;
    bound->secret = true;
    found.push_back(*std::move(bound));
  };
  // Those that are sure to move alone, and then all: a reference may survive only the first.
  for (bool boldly : {false, true}) {
    auto least = from;
    std::string name;
    for (const auto& d : rules.movable())
      if (boldly || !rules.doubtful().count(d)) {
        least[d] = rules.least(d);
        name += (name.empty() ? "" : ", ") + d + " = " + std::to_string(least[d]);
      }
    if (!name.empty() && rules.allows(least))
      add(name, least);
  }
  for (const auto& d : rules.movable()) {
    auto none = from;
    none[d] = 0;
    if (rules.may_vanish(d))
      add(d + " = 0", none);
  }
  return found;
}

} // namespace ke
