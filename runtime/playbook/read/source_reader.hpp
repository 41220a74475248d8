#pragma once

#include "runtime/playbook/read/ast.hpp"
#include "runtime/playbook/read/lexer.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <stdexcept>

/// Inner parts of the parser: included by parser.cpp alone.
namespace ke::playbook::parsing {

struct outside_subset : std::runtime_error {
  using std::runtime_error::runtime_error;
};

struct pointer_value {
  std::string array;
  expr_ptr offset; ///< null: none
};

struct symbol {
  enum { scalar, pointer, constant } kind = scalar;
  std::string unique;
  value_type type = value_type::unknown;
  pointer_value alias;
  expr_ptr value; ///< constant
};

struct helper_function {
  std::vector<std::pair<std::string, value_type>> parameters;
  value_type type = value_type::unknown;
  expr_ptr result;
};

inline const std::map<std::string, value_type>& type_names() {
  static const std::map<std::string, value_type> names = {
      {"float", value_type::f32},    {"double", value_type::f64},    {"int", value_type::i32},
      {"long", value_type::i64},     {"int32_t", value_type::i32},   {"int64_t", value_type::i64},
      {"size_t", value_type::i64},   {"ptrdiff_t", value_type::i64}, {"bool", value_type::boolean},
      {"int8_t", value_type::i8},    {"uint8_t", value_type::u8},    {"uint16_t", value_type::u16},
      {"_Float16", value_type::f16}, {"auto", value_type::unknown},  {"void", value_type::unknown},
      {"ssize_t", value_type::i64},  {"intptr_t", value_type::i64},  {"int_fast64_t", value_type::i64},
  };
  return names;
}

/// <cmath> by its C name: (name in std::, forced type).
inline const std::map<std::string, std::pair<std::string, value_type>>& function_names() {
  static const auto names = [] {
    std::map<std::string, std::pair<std::string, value_type>> out;
    for (const char* f : {"exp",       "exp2", "expm1", "log",  "log2",  "log10", "log1p",   "sqrt",  "cbrt",
                          "sin",       "cos",  "tan",   "tanh", "sinh",  "cosh",  "asin",    "acos",  "atan",
                          "atan2",     "erf",  "erfc",  "pow",  "floor", "ceil",  "round",   "trunc", "rint",
                          "nearbyint", "fmax", "fmin",  "fmod", "fma",   "hypot", "copysign"}) {
      out[f] = {f, value_type::unknown};
      out[std::string{f} + "f"] = {f, value_type::f32};
    }
    out["fabs"] = {"abs", value_type::unknown};
    out["fabsf"] = {"abs", value_type::f32};
    out["abs"] = {"abs", value_type::unknown};
    out["max"] = {"max", value_type::unknown};
    out["min"] = {"min", value_type::unknown};
    return out;
  }();
  return names;
}

/// Tokens, scopes and types of one source.
class source_reader {
protected:
  // -- tokens -------------------------------------------------------------------------------------

  const token& peek(std::size_t ahead = 0) const {
    return tokens_[std::min(at_ + ahead, tokens_.size() - 1)];
  }
  bool is(std::string_view text, std::size_t ahead = 0) const {
    return peek(ahead).kind != token_kind::text && peek(ahead).text == text;
  }
  token take() {
    auto t = peek();
    if (at_ + 1 < tokens_.size())
      ++at_;
    return t;
  }
  bool accept(std::string_view text) {
    if (!is(text))
      return false;
    take();
    return true;
  }
  void expect(std::string_view text) {
    if (!accept(text))
      fail("`" + std::string{text} + "` was expected before `" + peek().text + "`");
  }
  [[noreturn]] void fail(const std::string& what) const {
    throw outside_subset{"line " + std::to_string(peek().line) + " of the reference: " + what};
  }
  void enter() {
    // Deep nesting is refused before it can exhaust the stack.
    if (++depth_ > 200)
      fail("the nesting is too deep");
  }
  struct nesting {
    explicit nesting(source_reader& p) : p_(p) { p_.enter(); }
    ~nesting() { --p_.depth_; }
    source_reader& p_;
  };

  // -- names --------------------------------------------------------------------------------------

  symbol* find(const std::string& name) {
    for (auto scope = scopes_.rbegin(); scope != scopes_.rend(); ++scope)
      if (auto it = scope->find(name); it != scope->end())
        return &it->second;
    return nullptr;
  }
  std::string unique(const std::string& name) {
    auto out = name;
    for (int k = 2; !used_.insert(out).second; ++k)
      out = name + "_" + std::to_string(k);
    return out;
  }

  // -- types --------------------------------------------------------------------------------------

  static bool qualifier(const std::string& t) {
    return t == "const" || t == "static" || t == "inline" || t == "constexpr" || t == "unsigned" ||
           t == "signed" || t == "register" || t == "volatile" || t == "thread_local" || t == "extern";
  }
  bool at_type() const {
    std::size_t k = 0;
    while (peek(k).kind == token_kind::identifier && qualifier(peek(k).text))
      ++k;
    if (k > 0 && peek(k).kind == token_kind::text)
      ++k;
    if (is("std", k) && is("::", k + 1))
      k += 2;
    return peek(k).kind == token_kind::identifier &&
           (type_names().count(peek(k).text) || peek(k).text == "vector") && !is("(", k + 1) &&
           !is("{", k + 1);
  }
  struct type_reading {
    value_type type = value_type::unknown;
    bool pointer = false, constant = false, vector = false;
  };
  type_reading type() {
    type_reading out;
    bool found = false;
    while (true) {
      auto restricted = found && (is("__restrict__") || is("__restrict") || is("restrict"));
      if (restricted || peek().kind == token_kind::text) { // the text: the language of `extern "C"`
        take();
      } else if (peek().kind == token_kind::identifier && qualifier(peek().text)) {
        if (is("volatile") || is("thread_local"))
          fail("`" + peek().text + "` is not understood");
        if (is("unsigned") && (is("char", 1) || is("short", 1) || is("int", 1) || is("long", 1)))
          fail("unsigned arithmetic is not understood");
        out.constant = out.constant || is("const") || is("constexpr");
        take();
      } else if (!found && is("std") && is("::", 1)) {
        take();
        take();
      } else if (!found && is("vector")) {
        take();
        expect("<");
        out.type = type().type;
        expect(">");
        out.vector = found = true;
      } else if (peek().kind == token_kind::identifier && type_names().count(peek().text) &&
                 (!found || is("long") || is("int"))) {
        if (!found)
          out.type = type_names().at(peek().text);
        take();
        found = true;
      } else if (found && (is("*") || is("&"))) {
        out.pointer = out.pointer || is("*");
        take();
      } else {
        break;
      }
    }
    if (!found)
      fail("`" + peek().text + "` is not a type of the subset");
    return out;
  }

  std::vector<token> tokens_;
  std::size_t at_ = 0;
  int depth_ = 0;
  bool strict_ = false;
  bool in_helper_ = false;
  bool open_names_ = false;
  std::vector<std::map<std::string, symbol>> scopes_;
  std::set<std::string> used_;
  std::map<std::string, value_type> arrays_;
  std::map<std::string, helper_function> helpers_;
  std::optional<kernel_function> kernel_;
};

} // namespace ke::playbook::parsing
