#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <set>
#include <string>
#include <vector>

namespace ke::playbook {

/// The types of the subset. `unknown`: not typed by the parser; such values are only printed back.
enum class value_type : std::uint8_t { unknown, boolean, i8, u8, u16, i32, i64, f16, f32, f64 };

const char* spelling(value_type t);
int bytes_of(value_type t);
inline bool is_float(value_type t) {
  return t == value_type::f16 || t == value_type::f32 || t == value_type::f64;
}
/// The integer that carries the bits of a type without one in C++, if this is the name of a helper of ke.h
/// from or to it; else unknown.
value_type carrier_of(const std::string& helper);
inline bool is_integer(value_type t) {
  return t >= value_type::boolean && t <= value_type::i64;
}
/// The usual arithmetic conversions on the subset.
value_type common_type(value_type a, value_type b);

enum class expr_kind : std::uint8_t { number, name, index, unary, binary, ternary, call, cast };

struct expr;
/// Expressions are immutable and shared.
using expr_ptr = std::shared_ptr<const expr>;

struct expr {
  expr_kind kind = expr_kind::number;
  value_type type = value_type::unknown;
  std::string text; ///< digits, name, array, operator, function (without std::)
  std::vector<expr_ptr> args;
};

expr_ptr number(std::int64_t value);
expr_ptr number(std::string text, value_type type);
expr_ptr name(std::string text, value_type type);
expr_ptr element(std::string array, expr_ptr subscript, value_type type);
expr_ptr unary(std::string op, expr_ptr a);
expr_ptr binary(std::string op, expr_ptr a, expr_ptr b);
expr_ptr ternary(expr_ptr condition, expr_ptr yes, expr_ptr no);
expr_ptr call(std::string function, std::vector<expr_ptr> args);
expr_ptr cast(value_type to, expr_ptr a);

/// C++ text, parenthesised so that precedence never matters.
std::string print(const expr_ptr& e);

/// A copy in which `change` replaced subtrees, bottom up; `change` returns null to keep what it is given.
expr_ptr rewrite(const expr_ptr& e, const std::function<expr_ptr(const expr_ptr&)>& change);
void visit(const expr_ptr& e, const std::function<void(const expr&)>& see);
/// The number of nodes as printed (shared ones counted each time).
std::size_t size_of(const expr_ptr& e);
bool mentions(const expr_ptr& e, const std::string& name);
expr_ptr replace_name(const expr_ptr& e, const std::string& name, const expr_ptr& by);

enum class stmt_kind : std::uint8_t { declare, array, assign, loop, branch, leave };

/// One statement. Every declared name is unique in its kernel: the parser renames shadowing ones.
struct stmt {
  stmt_kind kind = stmt_kind::assign;
  std::string name;                      ///< declare, array: what is declared; loop: its variable
  value_type type = value_type::unknown; ///< declare, array: element type
  expr_ptr target;                       ///< assign: a name or an element
  std::string op;                        ///< assign: "=", "+=", "-=", "*=", "/="
  expr_ptr value;    ///< declare: initial value or null; array: extent; assign: right side; branch: condition
  expr_ptr from, to; ///< loop: for (name = from; name < to; name += step)
  std::int64_t step = 1;
  std::vector<stmt> body, other; ///< loop, branch: then; branch: else
};

void visit(const std::vector<stmt>& body, const std::function<void(const stmt&)>& see);
/// Every expression of the statements, subscripts of targets included.
void visit_exprs(const std::vector<stmt>& body, const std::function<void(const expr&)>& see);
/// Applies `change` to every expression of every statement (targets included).
void rewrite_all(std::vector<stmt>& body, const std::function<expr_ptr(const expr_ptr&)>& change);
std::set<std::string> declared_in(const std::vector<stmt>& body);
std::set<std::string> assigned_in(const std::vector<stmt>& body);
bool mentions(const std::vector<stmt>& body, const std::string& name);

/// A parameter of the kernel.
struct parameter {
  std::string name;
  value_type type = value_type::unknown;
  bool pointer = false;
  bool constant = false;          ///< pointer to const
  std::vector<std::string> shape; ///< tensors: expressions over the dims, under the kernel's own names
};

/// `extern "C" void kernel(parameters) { body }`.
struct kernel_function {
  std::vector<parameter> parameters;
  std::vector<stmt> body;
};

} // namespace ke::playbook
