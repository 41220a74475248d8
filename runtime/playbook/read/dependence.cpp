#include "runtime/playbook/read/dependence.hpp"

#include <algorithm>

namespace ke::playbook {
namespace {

struct access {
  std::string array;
  std::optional<poly> subscript;
  bool write = false;
  std::vector<loop_range> inner; ///< loops between the tested one and the access
};

struct collector {
  std::vector<access> found;
  std::vector<loop_range> inner;
  std::set<std::string> varying; ///< scalars that are assigned: no polynomial may read them
  bool bounds_known = true;

  void reads(const expr_ptr& e) {
    visit(e, [&](const expr& x) {
      if (x.kind == expr_kind::index)
        found.push_back({x.text, to_poly(x.args[0], varying), false, inner});
    });
  }
  void run(const std::vector<stmt>& body) {
    for (const auto& s : body) {
      for (const auto& e : {s.value, s.from, s.to})
        reads(e);
      if (s.kind == stmt_kind::assign && s.target->kind == expr_kind::index) {
        reads(s.target->args[0]);
        found.push_back({s.target->text, to_poly(s.target->args[0], varying), true, inner});
        if (s.op != "=")
          found.push_back({s.target->text, to_poly(s.target->args[0], varying), false, inner});
      }
      if (s.kind == stmt_kind::loop) {
        auto range = range_of(s);
        bounds_known = bounds_known && range;
        inner.push_back(range ? *range : loop_range{s.name, {}, {}});
        run(s.body);
        inner.pop_back();
      } else {
        run(s.body);
        run(s.other);
      }
    }
  }
};

bool mentions_any(const poly& p, const std::vector<loop_range>& loops) {
  return std::any_of(loops.begin(), loops.end(), [&](const loop_range& l) { return p.mentions(l.name); });
}

/// Subscripts of both accesses differ whenever `v` differs, because `dimension` alone tells the iterations
/// apart.
bool told_apart(const poly& a, const poly& b, const std::string& v, const access& x, const access& y) {
  auto c = a.coefficient(v);
  auto k = c ? c->as_constant() : std::nullopt;
  return k && *k != 0 && a == b && !mentions_any(a, x.inner) && !mentions_any(b, y.inner);
}

bool in_bounds(const poly& e, const poly& size, const std::vector<loop_range>& loops,
               const std::set<std::string>& sizes) {
  auto low = extreme(e, loops, false, sizes), high = extreme(e, loops, true, sizes);
  return low && high && low->surely_nonnegative(sizes) &&
         (size - poly::constant(1) - *high).surely_nonnegative(sizes);
}

bool disjoint(const access& w, const access& x, const loop_range& loop, const std::vector<loop_range>& outer,
              const kernel_facts& facts) {
  if (!w.subscript || !x.subscript)
    return false;
  if (told_apart(*w.subscript, *x.subscript, loop.name, w, x))
    return true;
  auto shape = facts.shapes.find(w.array);
  if (shape == facts.shapes.end() || shape->second.size() < 2)
    return false;
  auto a = delinearize(*w.subscript, shape->second), b = delinearize(*x.subscript, shape->second);
  auto ranges = [&](const access& of) {
    auto out = outer;
    out.push_back(loop);
    out.insert(out.end(), of.inner.begin(), of.inner.end());
    return out;
  };
  // A row-major address is unique only while every dimension but the first stays within its size.
  for (std::size_t m = 1; m < a.size(); ++m)
    if (!in_bounds(a[m], shape->second[m], ranges(w), facts.sizes) ||
        !in_bounds(b[m], shape->second[m], ranges(x), facts.sizes))
      return false;
  for (std::size_t m = 0; m < a.size(); ++m)
    if (told_apart(a[m], b[m], loop.name, w, x))
      return true;
  return false;
}

carry_kind kind_of_update(const stmt& s) {
  if (s.op == "+=" || s.op == "-=")
    return carry_kind::sum;
  if (s.op == "*=")
    return carry_kind::product;
  if (s.op == "=" && s.value->kind == expr_kind::call && extremum_operand(s.value, s.target->text))
    return s.value->text == "max" || s.value->text == "fmax" ? carry_kind::maximum : carry_kind::minimum;
  return carry_kind::unknown;
}

} // namespace

std::optional<poly> extreme(poly e, const std::vector<loop_range>& loops, bool largest,
                            const std::set<std::string>& sizes) {
  for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop) {
    if (!e.mentions(loop->name))
      continue;
    auto c = e.coefficient(loop->name);
    if (!c)
      return std::nullopt;
    bool up = c->surely_nonnegative(sizes);
    if (!up && !(poly{} - *c).surely_nonnegative(sizes))
      return std::nullopt;
    e = e.substitute(loop->name, up == largest ? loop->to - poly::constant(1) : loop->from);
  }
  return e;
}

bool surely_in_bounds(const std::string& array, const poly& subscript, const std::vector<loop_range>& loops,
                      const kernel_facts& facts) {
  auto shape = facts.shapes.find(array);
  if (shape == facts.shapes.end() || shape->second.empty())
    return false;
  auto parts = delinearize(subscript, shape->second);
  for (std::size_t m = 0; m < parts.size(); ++m)
    if (!in_bounds(parts[m], shape->second[m], loops, facts.sizes))
      return false;
  return true;
}

expr_ptr extremum_operand(const expr_ptr& e, const std::string& accumulator) {
  if (e->kind != expr_kind::call || e->args.size() != 2)
    return nullptr;
  if (e->text != "max" && e->text != "min" && e->text != "fmax" && e->text != "fmin")
    return nullptr;
  for (int side = 0; side < 2; ++side) {
    auto& self = e->args[static_cast<std::size_t>(side)];
    auto& other = e->args[static_cast<std::size_t>(1 - side)];
    if (self->kind == expr_kind::name && self->text == accumulator && !mentions(other, accumulator))
      return other;
  }
  return nullptr;
}

std::optional<loop_range> range_of(const stmt& loop) {
  auto from = to_poly(loop.from), to = to_poly(loop.to);
  if (!from || !to)
    return std::nullopt;
  return loop_range{loop.name, *from, *to};
}

bool independent(const stmt& loop, const std::vector<loop_range>& outer, const kernel_facts& facts) {
  return carried_scalars(loop).empty() && memory_independent(loop, outer, facts);
}

bool memory_independent(const stmt& loop, const std::vector<loop_range>& outer, const kernel_facts& facts) {
  auto range = range_of(loop);
  if (!range)
    return false;
  collector all;
  for (const auto& name : assigned_in(loop.body))
    all.varying.insert(name);
  all.run(loop.body);
  if (!all.bounds_known)
    return false;
  auto own = declared_in(loop.body);
  for (const auto& w : all.found) {
    if (!w.write || own.count(w.array))
      continue;
    for (const auto& x : all.found)
      if (x.array == w.array && !disjoint(w, x, *range, outer, facts))
        return false;
  }
  return true;
}

namespace {

/// The assignments of a loop's body to scalars from outside of it.
struct scalar_updates {
  struct updated {
    carried_scalar scalar;
    int updates = 0, mentions = 0; ///< mentions: in the updates themselves
    bool nested = false;
  };

  void see(const stmt& s, bool top) {
    if (s.kind != stmt_kind::assign || s.target->kind != expr_kind::name || own.count(s.target->text))
      return;
    auto kind = kind_of_update(s);
    auto [it, fresh] = found.try_emplace(s.target->text, updated{{s.target->text, s.target->type, kind}});
    auto& of = it->second;
    if (!fresh && of.scalar.kind != kind)
      of.scalar.kind = carry_kind::unknown;
    ++of.updates;
    of.nested = of.nested || !top;
    // The update itself names the scalar once as target and, as an extremum, once as operand.
    int self = 0;
    visit(s.value, [&](const expr& x) { self += x.kind == expr_kind::name && x.text == s.target->text; });
    of.mentions += 1 + self;
    if ((s.op != "=" && self > 0) || (s.op == "=" && self != 1))
      of.scalar.kind = carry_kind::unknown;
  }

  std::set<std::string> own; ///< the body's own names
  std::map<std::string, updated> found;
};

} // namespace

std::vector<carried_scalar> carried_scalars(const stmt& loop) {
  scalar_updates seen{declared_in(loop.body), {}};
  for (const auto& s : loop.body) {
    seen.see(s, true);
    visit(s.body, [&](const stmt& inner) { seen.see(inner, false); });
    visit(s.other, [&](const stmt& inner) { seen.see(inner, false); });
  }
  std::vector<carried_scalar> out;
  for (auto& [name, of] : seen.found) {
    int uses = 0;
    visit_exprs(loop.body,
                [&, &n = name](const expr& x) { uses += x.kind == expr_kind::name && x.text == n; });
    if (uses != of.mentions)
      of.scalar.kind = of.scalar.kind == carry_kind::sum && of.updates == 1 && !of.nested
                           ? carry_kind::scan
                           : carry_kind::unknown;
    out.push_back(of.scalar);
  }
  return out;
}

} // namespace ke::playbook
