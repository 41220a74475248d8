#include "backends/judge/shapes.hpp"

#include "runtime/core/expression.hpp"

#include <algorithm>
#include <cctype>
#include <set>

namespace ke {
namespace {

bool names_symbol(const std::string& expression, const std::string& symbol) {
  for (std::size_t at = expression.find(symbol); at != std::string::npos;
       at = expression.find(symbol, at + 1)) {
    auto word = [&](std::size_t i) {
      return i < expression.size() &&
             (std::isalnum(static_cast<unsigned char>(expression[i])) || expression[i] == '_');
    };
    if (!(at > 0 && word(at - 1)) && !word(at + symbol.size()))
      return true;
  }
  return false;
}

std::set<std::string> movable_symbols(const problem& what) {
  std::set<std::string> movable;
  for (const auto& d : what.dims) {
    bool in_shape = false, divided = false, small = false, varies = false, of_file = false;
    for (const auto& t : what.tensors)
      for (const auto& e : t.shape)
        if (names_symbol(e, d)) {
          in_shape = true;
          of_file = of_file || t.init.ends_with(".npy"); // it holds just the elements of the workloads
          divided =
              divided || e.find_first_of("/%") != std::string::npos || e.find("div") != std::string::npos;
        }
    std::int64_t first = -1;
    for (const auto& w : what.workloads) {
      auto at = w.dims.find(d);
      std::int64_t value = at == w.dims.end() ? 0 : at->second;
      small = small || value <= 8;
      varies = varies || (first >= 0 && value != first);
      first = first < 0 ? value : first;
    }
    if (in_shape && !of_file && !divided && !small && (varies || what.workloads.size() == 1))
      movable.insert(d);
  }
  return movable;
}

/// Relations between two symbols that hold in every workload must hold in `dims`.
bool keeps_relations(const problem& what, const std::map<std::string, std::int64_t>& dims) {
  for (const auto& a : what.dims)
    for (const auto& b : what.dims) {
      if (a == b)
        continue;
      bool equal = true, less = true, divides = true, several = false;
      for (const auto& w : what.workloads) {
        if (!w.dims.count(a) || !w.dims.count(b))
          return false;
        auto x = w.dims.at(a), y = w.dims.at(b);
        equal = equal && x == y;
        less = less && x < y;
        divides = divides && y > 1 && x % y == 0;
        several = several || &w != &what.workloads.front();
      }
      auto x = dims.at(a), y = dims.at(b);
      // One workload alone shows an order by chance, so only several make a rule of it; equality is kept in
      // any case.
      if ((equal && x != y) || (several && less && !(x < y)) ||
          (several && divides && !equal && (y == 0 || x % y != 0)))
        return false;
    }
  return true;
}

bool prime(std::int64_t n) {
  for (std::int64_t d = 2; d * d <= n; ++d)
    if (n % d == 0)
      return false;
  return n > 1;
}

std::int64_t new_value(std::int64_t usual, std::int64_t most, random_source& random) {
  auto odd_prime_near = [&](std::int64_t n) {
    n = std::max<std::int64_t>(3, n | 1);
    while (!prime(n))
      n += 2;
    return n;
  };
  std::int64_t value = 1;
  switch (random.below(6)) {
  case 0:
    value = usual + 1;
    break;
  case 1:
    value = usual - 1;
    break;
  case 2:
    value = odd_prime_near(2 + static_cast<std::int64_t>(random.below(30)));
    break;
  case 3:
    value = odd_prime_near(static_cast<std::int64_t>(
        random.below(static_cast<std::uint64_t>(std::max<std::int64_t>(4, usual)))));
    break;
  case 4:
    value = 1 + 2 * static_cast<std::int64_t>(random.below(64));
    break;
  case 5:
    value = random.below(3) ? odd_prime_near(usual / 3) : 1;
    break;
  }
  return std::clamp<std::int64_t>(value, 1, std::max<std::int64_t>(1, most));
}

} // namespace

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

std::vector<bound_shapes> secret_shapes(const problem& what, std::size_t count, std::size_t most_elements,
                                        random_source& random) {
  std::vector<bound_shapes> found;
  auto movable = movable_symbols(what);
  if (movable.empty() || what.workloads.empty())
    return found;
  for (std::size_t tries = 0; found.size() < count && tries < 60 * count; ++tries) {
    auto dims = what.workloads[random.below(what.workloads.size())].dims;
    // Small enough to be cheap: the cap for one symbol shrinks as tries go by.
    std::int64_t most = tries < 20 * count ? 1 << 14 : tries < 40 * count ? 257 : 37;
    for (const auto& d : movable)
      dims[d] = new_value(dims[d], most, random);
    if (!keeps_relations(what, dims))
      continue;
    auto bound = bind_shapes(what, "secret " + std::to_string(found.size() + 1), dims);
    if (!bound)
      continue;
    bool fits = true;
    for (auto e : bound->elements)
      fits = fits && e >= 1 && e <= most_elements;
    bool known =
        std::any_of(found.begin(), found.end(), [&](const bound_shapes& s) { return s.dims == dims; });
    if (!fits || known)
      continue;
    bound->secret = true;
    found.push_back(*std::move(bound));
  }
  return found;
}

std::vector<bound_shapes> edge_shapes(const problem& what, const std::map<std::string, std::int64_t>& from) {
  std::vector<bound_shapes> found;
  auto add = [&](const std::string& name, const std::map<std::string, std::int64_t>& dims) {
    auto bound = keeps_relations(what, dims) ? bind_shapes(what, name, dims)
                                             : result<bound_shapes>{failure{failure_kind::invalid, ""}};
    if (!bound)
      return;
    bound->secret = true;
    found.push_back(*std::move(bound));
  };
  auto movable = movable_symbols(what);
  auto ones = from;
  std::string name;
  for (const auto& d : movable) {
    ones[d] = 1;
    name += (name.empty() ? "" : ", ") + d + " = 1";
  }
  if (!movable.empty())
    add(name, ones);
  for (const auto& d : movable) {
    auto none = from;
    none[d] = 0;
    add(d + " = 0", none);
  }
  return found;
}

} // namespace ke
