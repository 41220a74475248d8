#include "runtime/playbook/write/emitter.hpp"

#include <algorithm>

namespace ke::playbook {
namespace {

bool literal(const expr_ptr& e, const char* text) {
  return e->kind == expr_kind::number && e->text == text;
}
expr_ptr truth(bool value) {
  return number(value ? "true" : "false", value_type::boolean);
}

/// Constant folding of truth values.
expr_ptr folded(const expr_ptr& x) {
  if (x->kind == expr_kind::binary && (x->text == "&&" || x->text == "||")) {
    const char* neutral = x->text == "&&" ? "true" : "false";
    for (std::size_t side = 0; side < 2; ++side) {
      if (literal(x->args[side], neutral))
        return x->args[1 - side];
      if (literal(x->args[side], x->text == "&&" ? "false" : "true"))
        return x->args[side];
    }
  }
  if (x->kind == expr_kind::unary && x->text == "!" &&
      (literal(x->args[0], "true") || literal(x->args[0], "false")))
    return truth(literal(x->args[0], "false"));
  if (x->kind == expr_kind::ternary) {
    if (literal(x->args[0], "true"))
      return cast(x->type, x->args[1]);
    if (literal(x->args[0], "false"))
      return cast(x->type, x->args[2]);
  }
  return nullptr;
}

/// Loads that happen whatever the conditions say.
void unconditional_loads(const expr_ptr& e, std::set<std::string>& out) {
  if (!e)
    return;
  if (e->kind == expr_kind::index)
    out.insert(e->text + "[" + print(e->args[0]) + "]");
  bool lazy =
      e->kind == expr_kind::ternary || (e->kind == expr_kind::binary && (e->text == "&&" || e->text == "||"));
  for (std::size_t i = 0; i < (lazy ? 1 : e->args.size()); ++i)
    unconditional_loads(e->args[i], out);
}

} // namespace

std::set<std::string> emitter::varying_scalars(const std::vector<stmt>& body, const std::string& by,
                                               std::set<std::string> out) const {
  auto touches = [&](const expr_ptr& e) {
    bool found = false;
    visit(e, [&](const expr& x) {
      found = found || (x.kind == expr_kind::name && (x.text == by || out.count(x.text)));
    });
    return found;
  };
  std::size_t before;
  do {
    before = out.size();
    std::function<void(const std::vector<stmt>&, bool)> run = [&](const std::vector<stmt>& list,
                                                                  bool guarded) {
      for (const auto& s : list) {
        if (s.kind == stmt_kind::declare && s.value && touches(s.value))
          out.insert(s.name);
        if (s.kind == stmt_kind::assign && s.target->kind == expr_kind::name && (guarded || touches(s.value)))
          out.insert(s.target->text);
        bool inner = guarded || (s.kind == stmt_kind::branch && touches(s.value));
        run(s.body, inner);
        run(s.other, inner);
      }
    };
    run(body, false);
  } while (out.size() != before);
  return out;
}

int emitter::lanes_for(const stmt& loop, const frame& f) const {
  int widest = 0;
  auto see = [&](const expr_ptr& root) {
    // Subscripts are addresses, not values.
    std::function<void(const expr_ptr&)> walk = [&](const expr_ptr& e) {
      if (e && varies(e, f)) {
        if (e->type != value_type::boolean && e->kind != expr_kind::name)
          widest = std::max(widest, bytes_of(e->type));
        if (e->kind == expr_kind::name && e->text != f.lane_loop)
          widest = std::max(widest, bytes_of(e->type));
        if (e->kind != expr_kind::index)
          for (const auto& arg : e->args)
            walk(arg);
      }
    };
    walk(root);
  };
  visit(loop.body, [&](const stmt& s) {
    see(s.value);
    if (s.kind == stmt_kind::assign)
      see(s.target);
    if (s.kind == stmt_kind::declare && f.lane_scalars.count(s.name))
      widest = std::max(widest, bytes_of(s.type));
  });
  return static_cast<int>(options_.vector_bytes) / std::max(widest, 4);
}

namespace {

/// `variable OP bound`, OP one of < and >= (or ==, !=), from a comparison that the variable is part of.
struct bounded_by {
  std::string op;
  poly bound;
};

std::optional<bounded_by> as_bound(const expr& x, const std::string& variable,
                                   const std::set<std::string>& assigned) {
  static const std::set<std::string> comparisons = {"<", ">", "<=", ">=", "==", "!="};
  if (x.kind != expr_kind::binary || !comparisons.count(x.text))
    return std::nullopt;
  auto a = to_poly(x.args[0], assigned), b = to_poly(x.args[1], assigned);
  if (!a || !b)
    return std::nullopt;
  auto difference = *a - *b;
  auto c = difference.coefficient(variable);
  auto k = c ? c->as_constant() : std::nullopt;
  if (!k || (*k != 1 && *k != -1))
    return std::nullopt;
  auto bound = poly::variable(variable) * poly::constant(*k) - difference;
  if (*k == -1)
    bound = poly{} - bound;
  auto op = x.text;
  if (*k == -1)
    op = op == "<" ? ">" : op == ">" ? "<" : op == "<=" ? ">=" : op == ">=" ? "<=" : op;
  if (op == "<=" || op == ">") {
    bound = bound + poly::constant(1);
    op = op == "<=" ? "<" : ">=";
  }
  return bounded_by{op, bound};
}

/// With each variable at the begin of its range, the innermost first.
poly at_start(poly p, const std::vector<loop_range>& ranges) {
  for (auto l = ranges.rbegin(); l != ranges.rend(); ++l)
    p = p.substitute(l->name, l->from);
  return p;
}

} // namespace

/// What a comparison is for most turns of the loop; the other turns are cut off into `out`. Null: nobody knows.
expr_ptr emitter::decide(const expr_ptr& x, const stmt& loop, const std::set<std::string>& assigned,
                         const std::vector<loop_range>& inner, const frame& f, interior& out) const {
  auto is = mentions(x, loop.name) ? as_bound(*x, loop.name, assigned) : std::nullopt;
  if (!is)
    return nullptr;
  auto range = range_of(loop);
  auto value_at_start = [&](const poly& p) { return sample(at_start(p, f.outer)); };
  auto low = extreme(is->bound, inner, false, u_.facts.sizes),
       high = extreme(is->bound, inner, true, u_.facts.sizes);
  auto first = value_at_start(range->from), last = value_at_start(range->to),
       at = value_at_start(at_start(is->bound, inner));
  if (!low || !high || !first || !last || !at)
    return nullptr;
  bool near_start = *at - *first < *last - *at;
  if (is->op == "<" || is->op == ">=") {
    // Near the start few iterations lie below the bound: the interior is above it.
    if (near_start)
      out.low.push_back(to_expr(*high));
    else
      out.high.push_back(to_expr(*low));
    return truth((is->op == "<") != near_start);
  }
  if (near_start)
    out.low.push_back(to_expr(*high + poly::constant(1)));
  else
    out.high.push_back(to_expr(*low));
  return truth(is->op == "!=");
}

emitter::interior emitter::split(const stmt& loop, const frame& f) const {
  interior out;
  auto assigned = assigned_in(loop.body);
  std::function<void(std::vector<stmt>&, std::vector<loop_range>&)> run =
      [&](std::vector<stmt>& list, std::vector<loop_range>& inner) {
        for (auto& s : list) {
          for (auto* e : {&s.target, &s.value})
            *e = rewrite(*e, [&](const expr_ptr& x) -> expr_ptr {
              if (auto fixed = decide(x, loop, assigned, inner, f, out))
                return fixed;
              return folded(x);
            });
          if (s.kind == stmt_kind::branch && literal(s.value, "false")) {
            s.body = std::move(s.other);
            s.other.clear();
            s.value = truth(true);
          }
          if (s.kind == stmt_kind::branch && literal(s.value, "true"))
            s.other.clear();
          bool is_loop = s.kind == stmt_kind::loop;
          if (is_loop) {
            auto r = range_of(s);
            inner.push_back(r ? *r : loop_range{s.name, {}, {}});
          }
          run(s.body, inner);
          run(s.other, inner);
          if (is_loop)
            inner.pop_back();
        }
      };
  out.body = loop.body;
  std::vector<loop_range> inner;
  if (range_of(loop))
    run(out.body, inner);
  return out;
}

namespace {

/// Statements with the update of a running sum moved to the front; what read the sum before it reads `prior`.
std::vector<stmt> updated_first(const std::vector<stmt>& order, std::vector<stmt>::const_iterator update,
                                const std::string& prior) {
  auto written = assigned_in(order);
  auto declared = declared_in(order);
  visit(update->value, [&](const expr& x) {
    if ((x.kind == expr_kind::index && written.count(x.text)) ||
        (x.kind == expr_kind::name && declared.count(x.text)))
      throw not_possible{"a running sum depends on what was made from it"};
  });
  const auto& sum = *update->target;
  std::vector<stmt> before(order.begin(), update);
  rewrite_all(before, [&](const expr_ptr& x) -> expr_ptr {
    return x->kind == expr_kind::name && x->text == sum.text ? name(prior, sum.type) : nullptr;
  });
  stmt declared_prior;
  declared_prior.kind = stmt_kind::declare;
  declared_prior.name = prior;
  declared_prior.type = sum.type;
  std::vector<stmt> moved{declared_prior, *update};
  moved.insert(moved.end(), before.begin(), before.end());
  moved.insert(moved.end(), update + 1, order.end());
  return moved;
}

} // namespace

void emitter::lane_copies(const stmt& loop, const std::vector<stmt>& body, const frame& f) {
  if (f.scans.empty()) {
    block(body, f, false);
    return;
  }
  // A running sum is updated first; what read it before the update reads `NAME_prior` instead.
  auto order = body;
  auto g = f;
  for (const auto& scan : f.scans) {
    auto update = std::find_if(order.begin(), order.end(), [&](const stmt& s) {
      return s.kind == stmt_kind::assign && s.target->kind == expr_kind::name && s.target->text == scan;
    });
    if (update == order.end() || update->op != "+=")
      throw not_possible{"a running sum is not one addition"};
    if (!mentions({order.begin(), update}, scan))
      continue;
    auto prior = scan + "_prior";
    g.lane_scalars.insert(prior);
    if (g.row_scalars.count(scan))
      g.row_scalars.insert(prior);
    order = updated_first(order, update, prior);
  }
  (void)loop;
  block(order, g, false);
}

/// Asks for what the loop over `walks` reads in vectors some steps later. Within a vectorised loop these are
/// rows that lie far apart, which no processor foresees across pages.
void emitter::prefetch(const std::string& walks, std::int64_t step, const std::vector<stmt>& body,
                       const frame& f) {
  if (options_.prefetch <= 0 || f.lane_loop.empty())
    return;
  std::set<std::string> asked;
  const auto own = declared_in(body); // not there yet where the requests stand
  std::function<void(const std::vector<stmt>&)> run = [&](const std::vector<stmt>& list) {
    for (const auto& s : list) {
      if (s.kind == stmt_kind::branch) { // asking for what is not read after all costs little and never fails
        run(s.body);
        run(s.other);
      }
      visit(s.value, [&](const expr& x) {
        auto p = x.kind == expr_kind::index ? to_poly(x.args[0]) : std::nullopt;
        auto along = p ? p->coefficient(f.lane_loop) : std::nullopt;
        auto by = p ? p->coefficient(walks) : std::nullopt;
        if (!along || along->as_constant() != 1 || !by || by->terms.empty() ||
            (walks != f.lane_loop && by->as_constant() == 1))
          return;
        for (const auto* unknown : {&f.lane_scalars, &own})
          for (const auto& scalar_name : *unknown)
            if (p->mentions(scalar_name))
              return;
        auto ahead = *p + *by * poly::constant(step * options_.prefetch);
        auto bytes = static_cast<std::int64_t>(f.unroll) * f.lanes * bytes_of(x.type);
        for (int a = 0; a < (p->mentions(f.row) ? f.rows : 1); ++a)
          for (std::int64_t at = 0; at < bytes; at += 64) {
            auto where =
                x.text + " + " + scalar(to_expr(ahead + poly::constant(at / bytes_of(x.type))), f, a);
            if (asked.size() < 32 && asked.insert(where).second)
              line("__builtin_prefetch(" + where + ");");
          }
      });
    }
  };
  run(body);
}

/// Why a loop's turns can't be done side by side, if they can't.
static void refuse_carried(const std::vector<carried_scalar>& carried, bool strict) {
  for (const auto& c : carried) {
    if (c.kind == carry_kind::unknown || c.type == value_type::unknown || c.type == value_type::f16)
      throw not_possible{"a scalar is carried from iteration to iteration"};
    if (strict && is_float(c.type) && c.kind != carry_kind::maximum && c.kind != carry_kind::minimum)
      throw not_possible{"the order of a sum must stay"};
  }
}

/// As a scalar loop with a pragma.
void emitter::hinted_loop(const stmt& loop, const std::vector<carried_scalar>& carried,
                          const std::string& from, const std::string& to, const frame& f) {
  if (!options_.hints)
    throw not_possible{"no hints were asked for"};
  std::string clauses;
  for (const auto& c : carried) {
    if (c.kind == carry_kind::scan)
      throw not_possible{"a running sum has no hint"};
    const char* op = c.kind == carry_kind::sum       ? "+"
                     : c.kind == carry_kind::product ? "*"
                     : c.kind == carry_kind::maximum ? "max"
                                                     : "min";
    for (int a = 0; a < (f.row_scalars.count(c.name) ? f.rows : 1); ++a)
      clauses += " reduction(" + std::string{op} + ":" + cell(c.name, f, a, -1) + ")";
    reduced_ = true;
  }
  auto inner = f;
  inner.outer.push_back(*range_of(loop));
  line("#pragma omp simd" + clauses);
  open("for (int64_t " + loop.name + " = " + from + "; " + loop.name + " < " + to + "; ++" + loop.name + ")");
  block(loop.body, inner, false);
  close();
}

/// Elements that every turn reads, or that surely are in their tensors.
std::set<std::string> emitter::safe_loads_in(const std::vector<stmt>& list, bool guarded,
                                             const std::vector<loop_range>& around) const {
  std::set<std::string> safe;
  for (const auto& s : list) {
    if (!guarded)
      for (const auto& e :
           {s.value, s.target ? (s.target->kind == expr_kind::index ? s.target->args[0] : nullptr) : nullptr})
        unconditional_loads(e, safe);
    for (const auto& e : {s.value, s.target})
      visit(e, [&](const expr& x) {
        auto p = x.kind == expr_kind::index ? to_poly(x.args[0]) : std::nullopt;
        if (p && surely_in_bounds(x.text, *p, around, u_.facts))
          safe.insert(x.text + "[" + print(x.args[0]) + "]");
      });
    auto inner = around;
    if (s.kind == stmt_kind::loop)
      if (auto r = range_of(s))
        inner.push_back(*r);
    bool now = guarded || s.kind == stmt_kind::branch || s.kind == stmt_kind::loop;
    safe.merge(safe_loads_in(s.body, now, inner));
    safe.merge(safe_loads_in(s.other, now, inner));
  }
  return safe;
}

frame emitter::vector_frame(const stmt& loop, const std::vector<carried_scalar>& carried,
                            const interior& parts, const frame& f) const {
  frame g = f;
  g.lane_loop = loop.name;
  g.outer.push_back(*range_of(loop));
  std::set<std::string> accumulators;
  for (const auto& c : carried) {
    accumulators.insert(c.name);
    if (c.kind == carry_kind::scan)
      g.scans.insert(c.name);
  }
  g.lane_scalars = varying_scalars(parts.body, loop.name, accumulators);
  stmt main_loop = loop;
  main_loop.body = parts.body;
  g.lanes = lanes_for(main_loop, g);
  if (g.lanes < 2)
    throw not_possible{"the vectors are too narrow"};
  if (f.rows > 1)
    for (const auto* bounds : {&parts.low, &parts.high})
      for (const auto& b : *bounds)
        if (mentions(b, f.row))
          throw not_possible{"a boundary differs from row to row"};
  g.safe_loads.merge(safe_loads_in(parts.body, false, g.outer));
  g.unroll = static_cast<int>(std::clamp<std::int64_t>(options_.unroll, 1, 8));
  return g;
}

/// Turns one by one, from where the loop is now.
void emitter::scalar_turns(const stmt& loop, const std::string& end, const frame& f) {
  auto inner = f;
  inner.outer.push_back(*range_of(loop));
  open("for (; " + loop.name + " < " + end + "; ++" + loop.name + ")");
  block(loop.body, inner, false);
  close();
}

/// The turns before those that are alike; where these end.
std::string emitter::turns_at_the_edge(const stmt& loop, const interior& parts, const std::string& id,
                                       const frame& f) {
  auto fold = [&](const std::string& start, const std::vector<expr_ptr>& list, const char* function) {
    auto text = start;
    for (const auto& e : list)
      text = std::string{"std::"} + function + "<int64_t>(" + text + ", " + scalar(e, f, 0) + ")";
    return text;
  };
  if (parts.low.empty() && parts.high.empty())
    return "end_" + id;
  auto last = "inner_end_" + id;
  line("const int64_t inner_" + id + " = std::min<int64_t>(end_" + id + ", " +
       fold(loop.name, parts.low, "max") + ");");
  line("const int64_t " + last + " = " + fold("end_" + id, parts.high, "min") + ";");
  scalar_turns(loop, "inner_" + id, f);
  return last;
}

/// One vector for each copy of a carried scalar.
void emitter::open_accumulators(const std::vector<carried_scalar>& carried, const frame& f, const frame& g) {
  for (const auto& c : carried)
    for (int a = 0; a < (f.row_scalars.count(c.name) ? f.rows : 1); ++a)
      for (int b = 0; b < g.unroll; ++b) {
        auto type = vector_type(c.type, g);
        auto start = c.kind == carry_kind::sum       ? "ke_splat<" + type + ">(0)"
                     : c.kind == carry_kind::product ? "ke_splat<" + type + ">(1)"
                     : c.kind == carry_kind::scan    ? type + "{}"
                                                  : "ke_splat<" + type + ">(" + cell(c.name, f, a, -1) + ")";
        line(type + " " + cell(c.name, g, a, b) + " = " + start + ";");
        reduced_ = reduced_ || is_float(c.type);
      }
}

void emitter::fold_accumulators(const std::vector<carried_scalar>& carried, const frame& f, const frame& g) {
  for (const auto& c : carried)
    for (int a = 0; a < (f.row_scalars.count(c.name) ? f.rows : 1) && c.kind != carry_kind::scan; ++a) {
      const char* join = c.kind == carry_kind::sum       ? "ke_add"
                         : c.kind == carry_kind::product ? "ke_mul"
                         : c.kind == carry_kind::maximum ? "ke_max"
                                                         : "ke_min";
      auto all = cell(c.name, g, a, 0);
      for (int b = 1; b < g.unroll; ++b)
        all = std::string{join} + "(" + all + ", " + cell(c.name, g, a, b) + ")";
      auto to_cell = cell(c.name, f, a, -1);
      line(to_cell + " = ke_fold(" + to_cell + ", " + all + ", [](auto a, auto b) { return " + join +
           "(a, b); });");
    }
}

void emitter::vector_loop(const stmt& loop, const std::string& from, const std::string& to, const frame& f) {
  auto carried = carried_scalars(loop);
  if (!memory_independent(loop, f.outer, u_.facts))
    throw not_possible{"iterations depend on each other"};
  refuse_carried(carried, options_.strict);
  if (!options_.lanes)
    return hinted_loop(loop, carried, from, to, f);
  const auto& v = loop.name;
  auto parts = split(loop, f);
  auto g = vector_frame(loop, carried, parts, f);
  auto id = std::to_string(++fresh_);
  open("");
  line("int64_t " + v + " = " + from + ";");
  line("const int64_t end_" + id + " = " + to + ";");
  auto last = turns_at_the_edge(loop, parts, id, f);
  open_accumulators(carried, f, g);
  auto step = g.unroll * g.lanes;
  open("for (; " + v + " + " + std::to_string(step) + " <= " + last + "; " + v +
       " += " + std::to_string(step) + ")");
  prefetch(v, step, parts.body, g);
  lane_copies(loop, parts.body, g);
  close();
  auto one = g;
  one.unroll = 1;
  if (g.unroll > 1) {
    open("for (; " + v + " + " + std::to_string(g.lanes) + " <= " + last + "; " + v +
         " += " + std::to_string(g.lanes) + ")");
    lane_copies(loop, parts.body, one);
    close();
  }
  fold_accumulators(carried, f, g);
  scalar_turns(loop, "end_" + id, f);
  close();
  vectorized_ = true;
}

double emitter::quality(const std::string& variable, const std::vector<stmt>& body) const {
  double good = 0, all = 0;
  std::function<void(const std::vector<stmt>&, double)> run = [&](const std::vector<stmt>& list,
                                                                  double weight) {
    for (const auto& s : list) {
      for (const auto& e : {s.value, s.target})
        visit(e, [&](const expr& x) {
          if (x.kind != expr_kind::index)
            return;
          all += weight;
          auto p = to_poly(x.args[0]);
          auto c = p ? p->coefficient(variable) : std::nullopt;
          if (!c)
            good -= 4 * weight;
          else if (c->terms.empty() || c->as_constant() == 1)
            good += weight;
          else
            good -= 3 * weight;
        });
      run(s.body, s.kind == stmt_kind::loop ? weight * 8 : weight);
      run(s.other, weight);
    }
  };
  run(body, 1);
  return all > 0 ? good / all : 0;
}

} // namespace ke::playbook
