#include "backends/judge/shape_rules.hpp"

#include "runtime/core/problem.hpp"
#include "runtime/text/expression.hpp"

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

namespace ke {
namespace {

/// What is at most this in every workload may be a property of the operator.
constexpr std::int64_t small = 8;

bool divides(const std::string& expression) {
  return expression.find_first_of("/%") != std::string::npos || expression.find("div") != std::string::npos;
}

bool prime(std::int64_t n) {
  for (std::int64_t d = 2; d * d <= n; ++d)
    if (n % d == 0)
      return false;
  return n > 1;
}

std::int64_t odd_prime_near(std::int64_t n) {
  n = std::max<std::int64_t>(3, n | 1);
  while (!prime(n))
    n += 2;
  return n;
}

} // namespace

shape_rules::shape_rules(const problem& what) : what_{what} {
  for (const auto& w : what.workloads)
    if (!w.held_out)
      timed_.push_back(&w);
  for (const auto& text : what.relations)
    if (auto r = relation_of(text)) // the problem was checked when it was read
      relations_.push_back(*std::move(r));
  find_movable();
  find_common();
}

void shape_rules::find_movable() {
  for (const auto& d : what_.dims) {
    bool in_shape = false, divided = false, of_file = false;
    for (const auto& t : what_.tensors)
      for (const auto& e : t.shape)
        if (names_symbol(e, d)) {
          in_shape = true;
          of_file = of_file || t.init.ends_with(".npy"); // it holds just the elements of the workloads
          divided = divided || divides(e);
        }
    if (what_.promise.count(d)) {
      if (!of_file)
        movable_.insert(d);
      continue;
    }
    if (!in_shape || of_file || timed_.empty())
      continue;
    movable_.insert(d);
    bool has_small = false, varies = false;
    std::int64_t first = 0, step = 0;
    for (const auto* w : timed_) {
      auto at = w->dims.find(d);
      auto value = at == w->dims.end() ? 0 : at->second;
      first = w == timed_.front() ? value : first;
      has_small = has_small || value <= small;
      varies = varies || value != first;
      step = std::gcd(step, value);
    }
    if (has_small || !(varies || timed_.size() == 1))
      doubtful_.insert(d);
    if (divided && step > 1)
      steps_[d] = step;
  }
}

bool shape_rules::holds_in(const common& c, const binding& symbols) const {
  auto x = symbols.find(c.a), y = symbols.find(c.b);
  if (x == symbols.end() || y == symbols.end())
    return false;
  switch (c.how) {
  case common::equal:
    return x->second == y->second;
  case common::less:
    return x->second < y->second;
  case common::multiple:
    return y->second > 0 && x->second % y->second == 0;
  }
  return false;
}

void shape_rules::find_common() {
  auto in_all = [&](const common& c) {
    return std::all_of(what_.workloads.begin(), what_.workloads.end(), [&](const workload& w) {
      return holds_in(c, w.dims);
    }); // a held-out one that contradicts it shows that it is no rule
  };
  bool several = timed_.size() > 1;
  if (!relations_.empty()) // who gives relations gives all of them
    return;
  for (const auto& a : what_.dims)
    for (const auto& b : what_.dims) {
      if (a == b || timed_.empty() || what_.promise.count(a) || what_.promise.count(b))
        continue;
      common equal{a, b, common::equal}, less{a, b, common::less}, multiple{a, b, common::multiple};
      auto of = [&](const workload* w, const std::string& d) {
        auto at = w->dims.find(d);
        return at == w->dims.end() ? 0 : at->second;
      };
      bool ones = std::all_of(timed_.begin(), timed_.end(), [&](auto* w) { return of(w, a) <= 1; });
      bool by_one = std::any_of(timed_.begin(), timed_.end(), [&](auto* w) { return of(w, b) <= 1; });
      if (in_all(equal)) {
        if (!ones && a < b)
          common_.push_back(equal);
        continue;
      }
      // One workload alone shows an order by chance, so only several make a rule of it.
      if (several && in_all(less))
        common_.push_back(less);
      if (several && !by_one && in_all(multiple))
        common_.push_back(multiple);
    }
}

bool shape_rules::assumes_equal() const {
  return std::any_of(common_.begin(), common_.end(), [](const common& c) { return c.how == common::equal; });
}

void shape_rules::part_equals(binding& symbols, bool first_larger) const {
  // One pair after the other, until all of them are in order: two pairs may share a symbol.
  bool moved = true;
  for (std::size_t round = 0; moved && round <= 2 * common_.size(); ++round) {
    moved = false;
    for (const auto& c : common_) {
      if (c.how != common::equal)
        continue;
      auto &x = symbols.at(c.a), &y = symbols.at(c.b);
      moved = moved || x == y || (x > y) != first_larger;
      if (x == y)
        (first_larger ? x : y) += 1;
      else if ((x > y) != first_larger)
        std::swap(x, y);
    }
  }
}

bool shape_rules::allows(const binding& symbols, bool boldly) const {
  for (const auto& [d, p] : what_.promise) {
    auto at = symbols.find(d);
    if (at == symbols.end() || at->second < p.min || (p.max > 0 && at->second > p.max) ||
        at->second % std::max<std::int64_t>(p.multiple, 1) != 0)
      return false;
  }
  for (const auto& r : relations_)
    if (auto said = holds(r, symbols); !said || !*said)
      return false;
  return std::all_of(common_.begin(), common_.end(), [&](const common& c) {
    return (boldly && c.how == common::equal) || holds_in(c, symbols);
  });
}

std::int64_t shape_rules::least(const std::string& symbol) const {
  auto p = what_.promise.find(symbol);
  if (p == what_.promise.end())
    return 1;
  auto step = std::max<std::int64_t>(p->second.multiple, 1);
  auto from = std::max<std::int64_t>(p->second.min, 1);
  return (from + step - 1) / step * step;
}

std::int64_t shape_rules::largest_timed(const std::string& symbol) const {
  std::int64_t largest = 1;
  for (const auto* w : timed_)
    if (auto at = w->dims.find(symbol); at != w->dims.end())
      largest = std::max(largest, at->second);
  return largest;
}

bool shape_rules::may_vanish(const std::string& symbol) const {
  auto p = what_.promise.find(symbol);
  return p == what_.promise.end() || p->second.min <= 0;
}

std::int64_t shape_rules::fitted(const std::string& symbol, std::int64_t value) const {
  auto p = what_.promise.find(symbol);
  if (p == what_.promise.end()) {
    auto step = steps_.find(symbol);
    return step == steps_.end() ? value : std::max<std::int64_t>(1, value / step->second) * step->second;
  }
  auto step = std::max<std::int64_t>(p->second.multiple, 1);
  if (p->second.max > 0)
    value = std::min(value, p->second.max);
  return std::max(least(symbol), value / step * step);
}

std::int64_t shape_rules::draw(const std::string& symbol, std::int64_t usual, std::int64_t most,
                               std::size_t way, random_source& random) const {
  // Around the lengths of vectors and blocks.
  static constexpr std::int64_t lengths[] = {4, 8, 16, 32, 64, 128, 256, 512};
  auto p = what_.promise.find(symbol);
  std::int64_t value = 1;
  switch (way % ways) {
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
    value = random.below(3) ? odd_prime_near(usual / 3) : least(symbol);
    break;
  case 6:
    value = lengths[random.below(std::size(lengths))] + (random.below(2) ? 1 : -1);
    break;
  default: // the upper end of what it may be
    value = p != what_.promise.end() && p->second.max > 0 ? p->second.max : 2 * usual + 1;
    break;
  }
  return fitted(symbol, std::clamp<std::int64_t>(value, 1, std::max<std::int64_t>(1, most)));
}

std::int64_t shape_rules::below(const std::string& symbol, std::int64_t usual, std::int64_t less) const {
  return fitted(symbol, std::max<std::int64_t>(1, usual - less));
}

bool shape_rules::mend(const relation& r, binding& symbols) const {
  if (auto said = holds(r, symbols); said && *said)
    return true;
  // A symbol alone on one side takes the value of the other; else one that is near makes it hold.
  auto takes = [&](const std::string& symbol, const std::string& other) {
    auto at = symbols.find(symbol);
    if (r.how != relational::equal || at == symbols.end() || names_symbol(other, symbol))
      return false;
    auto value = integer_value(other, symbols);
    if (value)
      at->second = *value;
    return bool{value};
  };
  if (takes(r.left, r.right) || takes(r.right, r.left))
    return false;
  auto near = [&](std::int64_t& value) {
    constexpr std::int64_t furthest = 1024;
    const auto drawn = value;
    for (std::int64_t far = 1; far <= furthest; ++far)
      for (auto tried : {drawn - far, drawn + far}) {
        value = tried;
        if (auto now = tried >= 1 ? holds(r, symbols) : result<bool>{false}; now && *now)
          return true;
      }
    value = drawn;
    return false;
  };
  for (auto& [symbol, value] : symbols)
    if (movable_.count(symbol) && (names_symbol(r.left, symbol) || names_symbol(r.right, symbol)) &&
        near(value))
      break;
  return false;
}

void shape_rules::mend(binding& symbols, bool boldly) const {
  for (const auto& c : common_) {
    auto &x = symbols.at(c.a), &y = symbols.at(c.b);
    if (c.how == common::equal)
      y = boldly ? y : x;
    else if (c.how == common::multiple && y > 0)
      x = std::max<std::int64_t>(1, x / y) * y;
  }
  bool whole = false;
  for (int round = 0; round < 4 && !whole; ++round) { // mending one may break another
    whole = true;
    for (const auto& r : relations_)
      whole = mend(r, symbols) && whole;
  }
}

std::vector<std::string> shape_rules::assumptions() const {
  std::vector<std::string> all;
  all.reserve(common_.size() + steps_.size() + what_.dims.size());
  for (const auto& c : common_)
    all.push_back(c.how == common::equal  ? c.a + " == " + c.b + " in half of the shapes"
                  : c.how == common::less ? c.a + " < " + c.b
                                          : c.a + " is a multiple of " + c.b);
  for (const auto& [symbol, step] : steps_)
    all.push_back(symbol + " is a multiple of " + std::to_string(step));
  for (const auto& d : what_.dims)
    if (!movable_.count(d))
      all.push_back(d + " keeps the values of the workloads");
  return all;
}

} // namespace ke
