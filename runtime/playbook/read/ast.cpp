#include "runtime/playbook/read/ast.hpp"

namespace ke::playbook {
namespace {

expr_ptr make(expr_kind kind, value_type type, std::string text, std::vector<expr_ptr> args) {
  return std::make_shared<const expr>(expr{kind, type, std::move(text), std::move(args)});
}

bool comparison(const std::string& op) {
  return op == "<" || op == ">" || op == "<=" || op == ">=" || op == "==" || op == "!=" || op == "&&" ||
         op == "||";
}

} // namespace

const char* spelling(value_type t) {
  switch (t) {
  case value_type::boolean:
    return "bool";
  case value_type::i8:
    return "int8_t";
  case value_type::u8:
    return "uint8_t";
  case value_type::u16:
    return "uint16_t";
  case value_type::i32:
    return "int32_t";
  case value_type::i64:
    return "int64_t";
  case value_type::f16:
    return "_Float16";
  case value_type::f32:
    return "float";
  case value_type::f64:
    return "double";
  case value_type::unknown:
    break;
  }
  return "auto";
}

value_type carrier_of(const std::string& helper) {
  if (helper == "ke_bf16_to_float" || helper == "ke_float_to_bf16")
    return value_type::u16;
  if (helper == "ke_f8e4m3_to_float" || helper == "ke_float_to_f8e4m3" || helper == "ke_f8e5m2_to_float" ||
      helper == "ke_float_to_f8e5m2")
    return value_type::u8;
  return value_type::unknown;
}

int bytes_of(value_type t) {
  switch (t) {
  case value_type::boolean:
  case value_type::i8:
  case value_type::u8:
    return 1;
  case value_type::u16:
  case value_type::f16:
    return 2;
  case value_type::i32:
  case value_type::f32:
    return 4;
  default:
    return 8;
  }
}

value_type common_type(value_type a, value_type b) {
  if (a == value_type::unknown || b == value_type::unknown)
    return value_type::unknown;
  if (is_float(a) || is_float(b)) {
    if (!is_float(a))
      return b;
    if (!is_float(b))
      return a;
    return a < b ? b : a;
  }
  return a == value_type::i64 || b == value_type::i64 ? value_type::i64 : value_type::i32;
}

expr_ptr number(std::int64_t value) {
  return make(expr_kind::number, value_type::i64, std::to_string(value), {});
}
expr_ptr number(std::string text, value_type type) {
  return make(expr_kind::number, type, std::move(text), {});
}
expr_ptr name(std::string text, value_type type) {
  return make(expr_kind::name, type, std::move(text), {});
}
expr_ptr element(std::string array, expr_ptr subscript, value_type type) {
  return make(expr_kind::index, type, std::move(array), {std::move(subscript)});
}

expr_ptr unary(std::string op, expr_ptr a) {
  auto type = op == "!"             ? value_type::boolean
              : is_integer(a->type) ? common_type(a->type, value_type::i32)
                                    : a->type;
  return make(expr_kind::unary, type, std::move(op), {std::move(a)});
}

expr_ptr binary(std::string op, expr_ptr a, expr_ptr b) {
  auto type = comparison(op) ? value_type::boolean : common_type(a->type, b->type);
  return make(expr_kind::binary, type, std::move(op), {std::move(a), std::move(b)});
}

expr_ptr ternary(expr_ptr condition, expr_ptr yes, expr_ptr no) {
  auto type = yes->type == no->type ? yes->type : common_type(yes->type, no->type);
  return make(expr_kind::ternary, type, "?", {std::move(condition), std::move(yes), std::move(no)});
}

expr_ptr call(std::string function, std::vector<expr_ptr> args) {
  // The C++ overloads: float stays float, integers become double; min and max take two of one type.
  auto type = args.empty() ? value_type::unknown : args.front()->type;
  for (const auto& arg : args)
    type = arg->type == type ? type : common_type(type, arg->type);
  if (auto carrier = carrier_of(function); carrier != value_type::unknown)
    type = function.starts_with("ke_float_to_") ? carrier : value_type::f32;
  else if (function != "max" && function != "min" && function != "abs" && is_integer(type))
    type = value_type::f64;
  return make(expr_kind::call, type, std::move(function), std::move(args));
}

expr_ptr cast(value_type to, expr_ptr a) {
  if (a->type == to)
    return a;
  return make(expr_kind::cast, to, "", {std::move(a)});
}

std::string print(const expr_ptr& e) {
  switch (e->kind) {
  case expr_kind::number:
  case expr_kind::name:
    return e->text;
  case expr_kind::index:
    return e->text + "[" + print(e->args[0]) + "]";
  case expr_kind::unary:
    return e->text + "(" + print(e->args[0]) + ")";
  case expr_kind::binary:
    return "(" + print(e->args[0]) + " " + e->text + " " + print(e->args[1]) + ")";
  case expr_kind::ternary:
    return "(" + print(e->args[0]) + " ? " + print(e->args[1]) + " : " + print(e->args[2]) + ")";
  case expr_kind::cast:
    return "static_cast<" + std::string{spelling(e->type)} + ">(" + print(e->args[0]) + ")";
  case expr_kind::call:
    break;
  }
  auto out = (e->text.starts_with("ke_") ? "" : "std::") + e->text;
  if ((e->text == "max" || e->text == "min") && e->type != value_type::unknown)
    out += "<" + std::string{spelling(e->type)} + ">";
  out += "(";
  for (std::size_t i = 0; i < e->args.size(); ++i)
    out += (i ? ", " : "") + print(e->args[i]);
  return out + ")";
}

expr_ptr rewrite(const expr_ptr& e, const std::function<expr_ptr(const expr_ptr&)>& change) {
  if (!e)
    return e;
  std::vector<expr_ptr> args;
  bool changed = false;
  for (const auto& arg : e->args) {
    args.push_back(rewrite(arg, change));
    changed = changed || args.back() != arg;
  }
  expr_ptr fresh = e;
  if (changed) {
    switch (e->kind) {
    case expr_kind::unary:
      fresh = unary(e->text, args[0]);
      break;
    case expr_kind::binary:
      fresh = binary(e->text, args[0], args[1]);
      break;
    case expr_kind::ternary:
      fresh = ternary(args[0], args[1], args[2]);
      break;
    case expr_kind::call:
      fresh = call(e->text, args);
      break;
    case expr_kind::cast:
      fresh = cast(e->type, args[0]);
      break;
    default:
      fresh = make(e->kind, e->type, e->text, args);
      break;
    }
  }
  auto by = change(fresh);
  return by ? by : fresh;
}

void visit(const expr_ptr& e, const std::function<void(const expr&)>& see) {
  if (!e)
    return;
  see(*e);
  for (const auto& arg : e->args)
    visit(arg, see);
}

std::size_t size_of(const expr_ptr& e) {
  std::size_t count = 0;
  visit(e, [&](const expr&) { ++count; });
  return count;
}

bool mentions(const expr_ptr& e, const std::string& name) {
  bool found = false;
  visit(e, [&](const expr& x) {
    found = found || ((x.kind == expr_kind::name || x.kind == expr_kind::index) && x.text == name);
  });
  return found;
}

expr_ptr replace_name(const expr_ptr& e, const std::string& name, const expr_ptr& by) {
  return rewrite(e, [&](const expr_ptr& x) -> expr_ptr {
    return x->kind == expr_kind::name && x->text == name ? by : nullptr;
  });
}

void visit(const std::vector<stmt>& body, const std::function<void(const stmt&)>& see) {
  for (const auto& s : body) {
    see(s);
    visit(s.body, see);
    visit(s.other, see);
  }
}

void visit_exprs(const std::vector<stmt>& body, const std::function<void(const expr&)>& see) {
  visit(body, [&](const stmt& s) {
    for (const auto& e : {s.target, s.value, s.from, s.to})
      visit(e, see);
  });
}

void rewrite_all(std::vector<stmt>& body, const std::function<expr_ptr(const expr_ptr&)>& change) {
  for (auto& s : body) {
    for (auto* e : {&s.target, &s.value, &s.from, &s.to})
      *e = rewrite(*e, change);
    rewrite_all(s.body, change);
    rewrite_all(s.other, change);
  }
}

std::set<std::string> declared_in(const std::vector<stmt>& body) {
  std::set<std::string> out;
  visit(body, [&](const stmt& s) {
    if (s.kind == stmt_kind::declare || s.kind == stmt_kind::array || s.kind == stmt_kind::loop)
      out.insert(s.name);
  });
  return out;
}

std::set<std::string> assigned_in(const std::vector<stmt>& body) {
  std::set<std::string> out;
  visit(body, [&](const stmt& s) {
    if (s.kind == stmt_kind::assign)
      out.insert(s.target->text);
  });
  return out;
}

bool mentions(const std::vector<stmt>& body, const std::string& name) {
  bool found = false;
  visit_exprs(body, [&](const expr& x) {
    found = found || ((x.kind == expr_kind::name || x.kind == expr_kind::index) && x.text == name);
  });
  return found;
}

} // namespace ke::playbook
