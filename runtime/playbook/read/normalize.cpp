#include "runtime/playbook/read/normalize.hpp"

#include "runtime/core/problem.hpp"
#include "runtime/playbook/read/formula.hpp"
#include "runtime/playbook/read/parser.hpp"

#include <algorithm>

namespace ke::playbook {
namespace {

value_type storage_type(const std::string& dtype) {
  if (dtype == "f64")
    return value_type::f64;
  if (dtype == "f32")
    return value_type::f32;
  if (dtype == "f16")
    return value_type::f16;
  if (dtype == "bf16")
    return value_type::u16;
  if (dtype == "i64")
    return value_type::i64;
  if (dtype == "i32")
    return value_type::i32;
  if (dtype == "i8")
    return value_type::i8;
  if (dtype == "u8" || dtype == "bool" || dtype == "f8e4m3" || dtype == "f8e5m2")
    return value_type::u8;
  return value_type::unknown;
}

/// The extents that are polynomials, up to the first that is nothing; dims by the kernel's own names.
std::vector<poly> shape_in(const std::vector<std::string>& extents,
                           const std::map<std::string, std::string>& own_name) {
  std::vector<poly> shape;
  for (const auto& extent : extents) {
    auto e = parse_extent(extent);
    if (!e)
      break;
    e = rewrite(e, [&](const expr_ptr& x) -> expr_ptr {
      auto it = x->kind == expr_kind::name ? own_name.find(x->text) : own_name.end();
      return it == own_name.end() ? nullptr : name(it->second, value_type::i64);
    });
    if (auto known = to_poly(e))
      shape.push_back(*known);
  }
  return shape;
}

/// Binds parameters to the task; the reason if they do not fit.
std::string bind(understood_kernel& u, const task& t) {
  auto& parameters = u.kernel.parameters;
  auto tensors = t.tensors.size(), scalars = t.scalars.size(), dims = t.dims.size();
  if (parameters.size() != tensors + scalars + dims)
    return "the reference's kernel has " + std::to_string(parameters.size()) +
           " parameters where the problem declares " + std::to_string(tensors + scalars + dims);
  std::map<std::string, std::string> own_name;
  for (std::size_t k = 0; k < dims; ++k) {
    const auto& p = parameters[tensors + scalars + k];
    if (p.pointer || !is_integer(p.type))
      return "the parameter `" + p.name + "` should be the dim `" + t.dims[k] + "`";
    own_name[t.dims[k]] = p.name;
    u.facts.sizes.insert(p.name);
  }
  for (std::size_t k = 0; k < scalars; ++k)
    if (parameters[tensors + k].pointer)
      return "the parameter `" + parameters[tensors + k].name + "` should be the scalar `" +
             t.scalars[k].name + "`";
  for (std::size_t k = 0; k < tensors; ++k) {
    auto& p = parameters[k];
    if (!p.pointer)
      return "the parameter `" + p.name + "` should be the tensor `" + t.tensors[k].name + "`";
    auto expected = storage_type(t.tensors[k].dtype);
    if (expected == value_type::unknown || bytes_of(expected) != bytes_of(p.type) ||
        is_float(expected) != is_float(p.type))
      return "the parameter `" + p.name + "` is not of the dtype " + t.tensors[k].dtype;
    p.constant = t.tensors[k].role == "in";
    auto shape = shape_in(t.tensors[k].shape, own_name);
    if (shape.size() == t.tensors[k].shape.size())
      u.facts.shapes[p.name] = shape;
  }
  return {};
}

void visit_lists(std::vector<stmt>& body, const std::function<void(std::vector<stmt>&)>& see) {
  for (auto& s : body) {
    visit_lists(s.body, see);
    visit_lists(s.other, see);
  }
  see(body);
}

bool same(const expr_ptr& a, const expr_ptr& b) {
  return a && b && print(a) == print(b);
}

bool reads_array(const expr_ptr& e, const std::string& array) {
  bool found = false;
  visit(e, [&](const expr& x) { found = found || (x.kind == expr_kind::index && x.text == array); });
  return found;
}

stmt declare(std::string variable, value_type type, expr_ptr value) {
  stmt s;
  s.kind = stmt_kind::declare;
  s.name = std::move(variable);
  s.type = type;
  s.value = std::move(value);
  return s;
}

stmt assign(expr_ptr target, std::string op, expr_ptr value) {
  stmt s;
  s.target = std::move(target);
  s.op = std::move(op);
  s.value = std::move(value);
  return s;
}

/// The loops of a perfect nest, outermost first, and the statements within.
std::vector<stmt*> perfect_nest(stmt& s) {
  std::vector<stmt*> out{&s};
  while (out.back()->body.size() == 1 && out.back()->body[0].kind == stmt_kind::loop)
    out.push_back(&out.back()->body[0]);
  return out;
}

/// Moves a scalar that only names an array element into the one statement that reads it: the nest becomes
/// perfect.
void sink_scalars(stmt& loop) {
  for (std::size_t i = 0; i < loop.body.size();) {
    auto& d = loop.body[i];
    bool movable = d.kind == stmt_kind::declare && d.value && loop.body.size() == i + 2 &&
                   loop.body.back().kind == stmt_kind::loop && !assigned_in(loop.body).count(d.name);
    auto written = assigned_in(loop.body);
    visit(d.value, [&](const expr& x) {
      movable = movable && !(x.kind == expr_kind::index && written.count(x.text));
    });
    if (!movable) {
      ++i;
      continue;
    }
    auto sunk = d;
    loop.body.erase(loop.body.begin() + static_cast<std::ptrdiff_t>(i));
    rewrite_all(loop.body, [&](const expr_ptr& x) -> expr_ptr {
      return x->kind == expr_kind::name && x->text == sunk.name ? sunk.value : nullptr;
    });
  }
}

/// Loops around a body, the first outermost.
std::vector<stmt> nested_in(const std::vector<stmt>& loops, std::vector<stmt> body) {
  for (auto loop = loops.rbegin(); loop != loops.rend(); ++loop) {
    stmt outer = *loop;
    outer.body = std::move(body);
    body = {std::move(outer)};
  }
  return body;
}

/// The update of an element over `reducing` in a variable of its own, which is stored once within `kept`.
stmt summed_apart(const stmt& update, const std::vector<stmt>& kept, const std::vector<stmt>& reducing,
                  const std::string& variable) {
  auto type = update.target->type;
  auto self = name(variable, type);
  auto body = nested_in(reducing, {assign(self, update.op, update.value)});
  body.insert(body.begin(), declare(variable, type, update.target));
  body.push_back(assign(update.target, "=", self));
  body = nested_in(kept, std::move(body));
  if (body.size() == 1)
    return std::move(body[0]);
  stmt once; // everything reduces: a block that runs once
  once.kind = stmt_kind::branch;
  once.value = number("true", value_type::boolean);
  once.body = std::move(body);
  return once;
}

bool promote(stmt& outermost, int& count) {
  std::vector<stmt> copy{outermost};
  auto* at = &copy[0];
  while (at->kind == stmt_kind::loop) {
    sink_scalars(*at);
    if (at->body.size() != 1 || at->body[0].kind != stmt_kind::loop)
      break;
    at = &at->body[0];
  }
  auto nest = perfect_nest(copy[0]);
  auto& inner = nest.back()->body;
  if (inner.size() != 1 || inner[0].kind != stmt_kind::assign || inner[0].target->kind != expr_kind::index ||
      (inner[0].op != "+=" && inner[0].op != "-="))
    return false;
  auto update = inner[0];
  if (reads_array(update.value, update.target->text) ||
      reads_array(update.target->args[0], update.target->text))
    return false;
  std::vector<stmt> kept, reducing;
  for (auto* loop : nest) {
    stmt header = *loop;
    header.body.clear();
    for (auto* other : nest)
      if (mentions(header.from, other->name) || mentions(header.to, other->name))
        return false;
    if (!range_of(header))
      return false;
    (mentions(update.target->args[0], header.name) ? kept : reducing).push_back(header);
  }
  if (reducing.empty())
    return false;
  outermost = summed_apart(update, kept, reducing, "sum_" + std::to_string(++count));
  return true;
}

/// `out[e] = a; ... acc = out[e]` within one list: the value goes straight to the scalar.
void forward_stores(std::vector<stmt>& body) {
  for (std::size_t i = 0; i + 1 < body.size(); ++i) {
    auto& store = body[i];
    auto& load = body[i + 1];
    if (store.kind == stmt_kind::assign && store.op == "=" && store.target->kind == expr_kind::index &&
        load.kind == stmt_kind::declare && same(store.target, load.value)) {
      bool rewritten = false;
      for (std::size_t j = i + 2; j < body.size(); ++j)
        rewritten = rewritten || (body[j].kind == stmt_kind::assign && body[j].op == "=" &&
                                  same(body[j].target, store.target));
      if (!rewritten)
        continue;
      load.value = cast(load.type, store.value);
      body.erase(body.begin() + static_cast<std::ptrdiff_t>(i));
    }
  }
}

/// Every access of an array that either body writes has, after renaming, the very same subscript on both
/// sides.
bool fusible(const stmt& a, const stmt& b, const kernel_facts& facts) {
  if (a.kind != stmt_kind::loop || b.kind != stmt_kind::loop || !same(a.from, b.from) || !same(a.to, b.to) ||
      a.step != b.step)
    return false;
  auto written = assigned_in(a.body), also = assigned_in(b.body);
  written.insert(also.begin(), also.end());
  auto own_a = declared_in(a.body), own_b = declared_in(b.body);
  stmt both = a;
  auto tail = b.body;
  rewrite_all(tail, [&](const expr_ptr& x) -> expr_ptr {
    return x->kind == expr_kind::name && x->text == b.name ? name(a.name, x->type) : nullptr;
  });
  both.body.insert(both.body.end(), tail.begin(), tail.end());
  for (const auto& n : written)
    if (!facts.shapes.count(n) && !own_a.count(n) && !own_b.count(n) && mentions(a.body, n) &&
        mentions(b.body, n))
      return false; // a scalar or a local array carries something from one to the other
  return independent(both, {}, facts);
}

} // namespace

void inline_integers(std::vector<stmt>& body) {
  auto written = assigned_in(body);
  std::map<std::string, expr_ptr> values;
  std::function<void(std::vector<stmt>&)> run = [&](std::vector<stmt>& list) {
    for (std::size_t i = 0; i < list.size();) {
      auto& s = list[i];
      auto change = [&](const expr_ptr& x) -> expr_ptr {
        auto it = x->kind == expr_kind::name ? values.find(x->text) : values.end();
        return it == values.end() ? nullptr : it->second;
      };
      for (auto* e : {&s.target, &s.value, &s.from, &s.to})
        *e = rewrite(*e, change);
      bool fixed = s.kind == stmt_kind::declare && is_integer(s.type) && s.type != value_type::boolean &&
                   s.value && !written.count(s.name) && s.value->kind != expr_kind::ternary;
      visit(s.value, [&](const expr& x) {
        fixed = fixed && x.kind != expr_kind::index && x.kind != expr_kind::call &&
                !(x.kind == expr_kind::name && written.count(x.text));
      });
      if (fixed && is_integer(s.value->type) && size_of(s.value) <= 200) {
        values[s.name] = s.value;
        list.erase(list.begin() + static_cast<std::ptrdiff_t>(i));
        continue;
      }
      run(s.body);
      run(s.other);
      ++i;
    }
  };
  run(body);
}

namespace {

/// `condition ? yes : no` as a maximum or minimum. Null: it is none.
expr_ptr extremum(const expr_ptr& condition, const expr_ptr& yes, const expr_ptr& no) {
  if (condition->kind != expr_kind::binary || !is_float(yes->type) || yes->type != no->type)
    return nullptr;
  auto op = condition->text;
  auto a = condition->args[0], b = condition->args[1];
  if (op == ">" || op == ">=") {
    std::swap(a, b);
  } else if (op != "<" && op != "<=") {
    return nullptr;
  }
  // Now "a is less than b" chooses `yes`. std::max(p, q) is (p < q) ? q : p, std::min(p, q) is (q < p) ? q
  // : p.
  if (same(b, yes) && same(a, no))
    return call("max", {no, yes});
  if (same(a, yes) && same(b, no))
    return call("min", {no, yes});
  return nullptr;
}

} // namespace

void spell_updates(std::vector<stmt>& body) {
  visit_lists(body, [&](std::vector<stmt>& list) {
    for (auto& s : list) {
      if (s.kind == stmt_kind::branch && s.other.empty() && s.body.size() == 1 &&
          s.body[0].kind == stmt_kind::assign && s.body[0].op == "=" &&
          s.body[0].target->kind == expr_kind::name) {
        auto target = s.body[0].target;
        if (auto e = extremum(s.value, s.body[0].value, target))
          s = assign(target, "=", e);
      }
      if (s.kind != stmt_kind::assign || s.op != "=")
        continue;
      if (s.value->kind == expr_kind::ternary)
        if (auto e = extremum(s.value->args[0], s.value->args[1], s.value->args[2]))
          s.value = e;
      if (s.value->kind == expr_kind::binary &&
          (s.value->text == "+" || s.value->text == "*" || s.value->text == "-")) {
        auto a = s.value->args[0], b = s.value->args[1];
        if (!same(a, s.target) && s.value->text != "-")
          std::swap(a, b);
        if (same(a, s.target) && (s.target->kind == expr_kind::index || !mentions(b, s.target->text))) {
          s.op = s.value->text + "=";
          s.value = b;
        }
      }
    }
  });
}

void promote_accumulators(std::vector<stmt>& body, const kernel_facts& facts) {
  int count = 0;
  visit(body, [&](const stmt& s) { count += s.kind == stmt_kind::declare; });
  count += 100; // `sum_N` beyond any name that the parser could have made by counting
  std::function<void(std::vector<stmt>&)> run = [&](std::vector<stmt>& list) {
    for (auto& s : list) {
      if (s.kind == stmt_kind::loop && promote(s, count))
        continue;
      run(s.body);
      run(s.other);
    }
    fuse_loops(list, facts);
    forward_stores(list);
  };
  run(body);
  visit_lists(body, [&](std::vector<stmt>& list) { forward_stores(list); });
}

void fuse_loops(std::vector<stmt>& body, const kernel_facts& facts) {
  for (std::size_t i = 0; i + 1 < body.size();) {
    if (!fusible(body[i], body[i + 1], facts)) {
      ++i;
      continue;
    }
    auto tail = std::move(body[i + 1].body);
    auto variable = body[i + 1].name, by = body[i].name;
    rewrite_all(tail, [&](const expr_ptr& x) -> expr_ptr {
      return x->kind == expr_kind::name && x->text == variable ? name(by, x->type) : nullptr;
    });
    for (auto& s : tail)
      body[i].body.push_back(std::move(s));
    body.erase(body.begin() + static_cast<std::ptrdiff_t>(i) + 1);
    fuse_loops(body[i].body, facts);
  }
}

namespace {

/// Null: it stays. `doubles`: names that stay what they are.
expr_ptr narrowed(const expr_ptr& x, const std::set<std::string>& doubles) {
  if (x->type != value_type::f64)
    return nullptr;
  switch (x->kind) {
  case expr_kind::number:
    if (x->text.find("numeric_limits") != std::string::npos) {
      auto text = x->text;
      text.replace(text.find("double"), 6, "float");
      return number(text, value_type::f32);
    }
    return number(x->text + "f", value_type::f32);
  case expr_kind::name:
    // A parameter stays what the ABI says; a scalar of the body is a float now.
    return doubles.count(x->text) ? cast(value_type::f32, x) : name(x->text, value_type::f32);
  case expr_kind::cast:
    return is_integer(x->args[0]->type) || x->args[0]->type == value_type::f16
               ? cast(value_type::f32, x->args[0])
               : x->args[0];
  default:
    return nullptr;
  }
}

} // namespace

void narrow_to_float(kernel_function& kernel) {
  std::set<std::string> doubles;
  for (const auto& p : kernel.parameters)
    if (!p.pointer && p.type == value_type::f64)
      doubles.insert(p.name);
  visit(kernel.body, [&](const stmt& s) {
    if (s.kind == stmt_kind::array && s.type == value_type::f64)
      doubles.insert(s.name);
  });
  std::function<void(std::vector<stmt>&)> types = [&](std::vector<stmt>& list) {
    for (auto& s : list) {
      if (s.kind == stmt_kind::declare && s.type == value_type::f64)
        s.type = value_type::f32;
      types(s.body);
      types(s.other);
    }
  };
  types(kernel.body);
  rewrite_all(kernel.body, [&](const expr_ptr& x) { return narrowed(x, doubles); });
  std::function<void(std::vector<stmt>&)> values = [&](std::vector<stmt>& list) {
    for (auto& s : list) {
      if (s.kind == stmt_kind::declare && s.value && s.value->type != s.type)
        s.value = cast(s.type, s.value);
      values(s.body);
      values(s.other);
    }
  };
  values(kernel.body);
}

understanding understand(const task& t) {
  parse_outcome parsed;
  if (t.reference_language == "c++")
    parsed = parse_kernel(t.reference, t.bitwise);
  else
    parsed.why = "the reference is written in " +
                 (t.reference_language.empty() ? "no language" : t.reference_language) +
                 "; the playbook reads C++ only";
  // A formula says what is computed, not in which order: not enough for a bitwise problem.
  if (!parsed.kernel && !t.bitwise)
    if (auto source = reference_of_formula(t); !source.empty())
      parsed.kernel = parse_kernel(source).kernel;
  if (!parsed.kernel)
    return {std::nullopt, parsed.why};
  understood_kernel u;
  u.kernel = std::move(*parsed.kernel);
  if (auto why = bind(u, t); !why.empty())
    return {std::nullopt, why};
  inline_integers(u.kernel.body);
  spell_updates(u.kernel.body);
  promote_accumulators(u.kernel.body, u.facts);
  fuse_loops(u.kernel.body, u.facts);
  return {std::move(u), {}};
}

} // namespace ke::playbook
