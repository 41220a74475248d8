#include "runtime/playbook/write/emitter.hpp"

#include <algorithm>

namespace ke::playbook {

bool emitter::varies(const expr_ptr& e, const frame& f) const {
  if (f.lane_loop.empty())
    return false;
  bool found = false;
  visit(e, [&](const expr& x) {
    found = found || (x.kind == expr_kind::name && (x.text == f.lane_loop || f.lane_scalars.count(x.text)));
  });
  return found;
}

std::string emitter::cell(const std::string& name, const frame& f, int row, int vector) const {
  auto out = name;
  if (f.row_scalars.count(name))
    out += "_r" + std::to_string(row);
  if (vector >= 0 && f.lane_scalars.count(name))
    out += "_v" + std::to_string(vector);
  return out;
}

std::string emitter::scalar(const expr_ptr& e, const frame& f, int row, int vector) const {
  return print(rewrite(e, [&](const expr_ptr& x) -> expr_ptr {
    if (x->kind != expr_kind::name)
      return nullptr;
    if (x->text == f.row && row > 0)
      return name("(" + x->text + " + " + std::to_string(row) + ")", x->type);
    if (x->text == f.lane_loop && vector > 0)
      return name("(" + x->text + " + " + std::to_string(vector * f.lanes) + ")", x->type);
    return f.row_scalars.count(x->text) ? name(cell(x->text, f, row, -1), x->type) : nullptr;
  }));
}

std::string emitter::vector_type(value_type t, const frame& f) const {
  if (t == value_type::unknown || t == value_type::boolean)
    throw not_possible{"a value has no vector type"};
  return "vec<" + std::string{spelling(t)} + ", " + std::to_string(f.lanes) + ">";
}

std::string emitter::lane_as(const lane_value& x, value_type to, const frame& f) const {
  if (x.mask)
    throw not_possible{"a truth value is used as a number"};
  if (x.type == to)
    return x.text;
  if (x.type == value_type::f16 || to == value_type::f16)
    return "ke_convert<" + vector_type(to, f) + ">(" + x.text + ")";
  return "__builtin_convertvector(" + x.text + ", " + vector_type(to, f) + ")";
}

std::string emitter::mask_as(const lane_value& x, value_type like, const frame& f) const {
  if (!x.mask)
    throw not_possible{"a number is used as a truth value"};
  if (bytes_of(x.type) == bytes_of(like))
    return x.text;
  const char* integer = bytes_of(like) == 8   ? "int64_t"
                        : bytes_of(like) == 4 ? "int32_t"
                        : bytes_of(like) == 2 ? "int16_t"
                                              : "int8_t";
  return "__builtin_convertvector(" + x.text + ", vec<" + integer + ", " + std::to_string(f.lanes) + ">)";
}

void emitter::check_loads(const expr_ptr& e, const frame& f) const {
  visit(e, [&](const expr& x) {
    if (x.kind == expr_kind::index && !f.safe_loads.count(x.text + "[" + print(x.args[0]) + "]"))
      throw not_possible{"a condition guards a load"};
  });
}

emitter::lane_value emitter::lane_call(const expr_ptr& e, const frame& f, int row, int vector) {
  static const std::set<std::string> fast_single = {"exp", "tanh", "erf", "log"};
  if (e->text == "ke_bf16_to_float" || e->text == "ke_float_to_bf16")
    return {"ke_lanes_" + e->text.substr(3) + "(" + lane(e->args[0], f, row, vector).text + ")", e->type};
  if (carrier_of(e->text) != value_type::unknown)
    throw not_possible{"a conversion of eight bits has no vector form"};
  std::vector<std::string> args;
  for (const auto& arg : e->args)
    args.push_back(lane_as(lane(arg, f, row, vector), e->type, f));
  const auto& name = e->text;
  if ((name == "max" || name == "min") && args.size() == 2)
    return {"ke_" + name + "(" + args[0] + ", " + args[1] + ")", e->type};
  if ((name == "fmax" || name == "fmin") && args.size() == 2)
    return {"ke_" + name + "(" + args[0] + ", " + args[1] + ")", e->type};
  if (name == "abs" || name == "sqrt")
    return {"ke_" + name + "(" + args[0] + ")", e->type};
  if (name == "pow" && e->args[1]->kind == expr_kind::number && !options_.strict &&
      (e->args[1]->text == "2" || e->args[1]->text == "2.0" || e->args[1]->text == "2.0f" ||
       e->args[1]->text == "2.f"))
    return {"ke_square(" + args[0] + ")", e->type};
  if (!options_.strict && ((e->type == value_type::f32 && fast_single.count(name)) ||
                           (e->type == value_type::f64 && name == "exp")))
    return {"ke_" + name + "(" + args[0] + ")", e->type};
  if (e->type != value_type::f32 && e->type != value_type::f64)
    throw not_possible{"`" + name + "` has no vector form"};
  // No vector form: the scalar function lane by lane keeps the rest of the loop in vectors.
  std::string parameters, list;
  for (std::size_t i = 0; i < args.size(); ++i) {
    parameters += (i ? ", " : "") + std::string{spelling(e->type)} + " a" + std::to_string(i);
    list += ", " + args[i];
  }
  std::string names;
  for (std::size_t i = 0; i < args.size(); ++i)
    names += (i ? ", a" : "a") + std::to_string(i);
  return {"ke_each([](" + parameters + ") { return std::" + name + "(" + names + "); }" + list + ")",
          e->type};
}

emitter::lane_value emitter::lane_index(const expr_ptr& e, const frame& f, int row, int vector) {
  const auto& subscript = e->args[0];
  for (const auto& scalar_name : f.lane_scalars)
    if (mentions(subscript, scalar_name))
      throw not_possible{"a subscript differs from lane to lane"};
  auto p = to_poly(subscript);
  auto c = p ? p->coefficient(f.lane_loop) : std::nullopt;
  if (!c)
    throw not_possible{"a subscript is not linear in the vectorised loop"};
  auto where = e->text + " + " + scalar(subscript, f, row, vector);
  auto type = vector_type(e->type, f);
  if (c->as_constant() == 1)
    return {"ke_load<" + type + ">(" + where + ")", e->type};
  if (c->mentions(f.lane_loop))
    throw not_possible{"a subscript is not linear in the vectorised loop"};
  return {"ke_gather<" + type + ">(" + where + ", " + scalar(to_expr(*c), f, row) + ")", e->type};
}

emitter::lane_value emitter::lane_logic(const expr_ptr& e, const frame& f, int row, int vector) {
  for (const auto& arg : e->args)
    if (!varies(arg, f))
      throw not_possible{"an invariant truth value among vectors"};
  check_loads(e->args[1], f);
  auto a = lane(e->args[0], f, row, vector), b = lane(e->args[1], f, row, vector);
  return {"(" + mask_as(a, a.type, f) + (e->text == "&&" ? " & " : " | ") + mask_as(b, a.type, f) + ")",
          a.type, true};
}

emitter::lane_value emitter::lane_binary(const expr_ptr& e, const frame& f, int row, int vector) {
  const auto& op = e->text;
  auto common = common_type(e->args[0]->type, e->args[1]->type);
  if (common == value_type::f16 || common == value_type::unknown)
    throw not_possible{"half precision arithmetic is kept scalar"};
  bool compare = e->type == value_type::boolean;
  if (op == "/" && options_.reciprocal && is_float(common) && !varies(e->args[1], f)) {
    auto t = std::string{spelling(common)};
    auto a = lane_as(lane(e->args[0], f, row, vector), common, f);
    return {"(" + a + " * ke_splat<" + vector_type(common, f) + ">(" + t + "(1) / " + t + "(" +
                scalar(e->args[1], f, row) + ")))",
            common};
  }
  auto a = lane_as(lane(e->args[0], f, row, vector), common, f),
       b = lane_as(lane(e->args[1], f, row, vector), common, f);
  return {"(" + a + " " + op + " " + b + ")", common, compare};
}

emitter::lane_value emitter::lane_choice(const expr_ptr& e, const frame& f, int row, int vector) {
  auto yes = e->args[1], no = e->args[2];
  if (!varies(e->args[0], f)) {
    auto a = lane_as(lane(yes, f, row, vector), e->type, f),
         b = lane_as(lane(no, f, row, vector), e->type, f);
    return {"(" + scalar(e->args[0], f, row) + " ? " + a + " : " + b + ")", e->type};
  }
  check_loads(yes, f);
  check_loads(no, f);
  auto condition = lane(e->args[0], f, row, vector);
  auto a = lane_as(lane(yes, f, row, vector), e->type, f), b = lane_as(lane(no, f, row, vector), e->type, f);
  return {"(" + mask_as(condition, e->type, f) + " ? " + a + " : " + b + ")", e->type};
}

emitter::lane_value emitter::lane(const expr_ptr& e, const frame& f, int row, int vector) {
  if (!varies(e, f)) {
    if (e->type == value_type::boolean)
      throw not_possible{"an invariant truth value among vectors"};
    return {"ke_splat<" + vector_type(e->type, f) + ">(" + scalar(e, f, row) + ")", e->type};
  }
  switch (e->kind) {
  case expr_kind::name:
    if (e->text == f.lane_loop)
      return {"ke_iota<" + vector_type(e->type, f) + ">(" + scalar(e, f, row, vector) + ")", e->type};
    return {cell(e->text, f, row, vector), e->type};
  case expr_kind::index:
    return lane_index(e, f, row, vector);
  case expr_kind::unary: {
    auto a = lane(e->args[0], f, row, vector);
    if (e->text == "!")
      return {"(" + mask_as(a, a.type, f) + " == 0)", a.type, true};
    return {"(-" + lane_as(a, e->type, f) + ")", e->type};
  }
  case expr_kind::binary:
    return e->text == "&&" || e->text == "||" ? lane_logic(e, f, row, vector)
                                              : lane_binary(e, f, row, vector);
  case expr_kind::ternary:
    return lane_choice(e, f, row, vector);
  case expr_kind::cast: {
    auto a = lane(e->args[0], f, row, vector);
    return {lane_as(a, e->type, f), e->type};
  }
  case expr_kind::call:
    return lane_call(e, f, row, vector);
  case expr_kind::number:
    break;
  }
  throw not_possible{"an expression has no vector form"};
}

} // namespace ke::playbook
