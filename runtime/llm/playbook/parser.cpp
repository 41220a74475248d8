#include "runtime/llm/playbook/parser.hpp"

#include "runtime/llm/playbook/lexer.hpp"

#include <algorithm>
#include <map>
#include <stdexcept>

namespace ke::playbook {
namespace {

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

const std::map<std::string, value_type>& type_names() {
  static const std::map<std::string, value_type> names = {
      {"float", value_type::f32},      {"double", value_type::f64},      {"int", value_type::i32},
      {"long", value_type::i64},       {"int32_t", value_type::i32},     {"int64_t", value_type::i64},
      {"size_t", value_type::i64},     {"ptrdiff_t", value_type::i64},   {"bool", value_type::boolean},
      {"int8_t", value_type::i8},      {"uint8_t", value_type::u8},      {"uint16_t", value_type::u16},
      {"_Float16", value_type::f16},   {"auto", value_type::unknown},    {"void", value_type::unknown},
      {"ssize_t", value_type::i64},    {"intptr_t", value_type::i64},    {"int_fast64_t", value_type::i64},
  };
  return names;
}

/// <cmath> by its C name: (name in std::, forced type).
const std::map<std::string, std::pair<std::string, value_type>>& function_names() {
  static const auto names = [] {
    std::map<std::string, std::pair<std::string, value_type>> out;
    for (const char* f : {"exp", "exp2", "expm1", "log", "log2", "log10", "log1p", "sqrt", "cbrt", "sin", "cos", "tan", "tanh", "sinh",
                          "cosh", "asin", "acos", "atan", "atan2", "erf", "erfc", "pow", "floor", "ceil", "round", "trunc", "rint",
                          "nearbyint", "fmax", "fmin", "fmod", "fma", "hypot", "copysign"}) {
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

class parser {
public:
  parser(std::string_view source, bool strict) : strict_(strict) {
    auto list = tokenize(source);
    tokens_ = std::move(list.tokens);
    scopes_.emplace_back();
    for (const auto& [name, value] : list.defines)
      if (auto constant = number_from(value))
        scopes_.back()[name] = {symbol::constant, name, constant->type, {}, constant};
  }

  kernel_function run() {
    while (peek().kind != token_kind::end)
      top_level();
    if (!kernel_)
      throw outside_subset{"the reference defines no function `kernel`"};
    return std::move(*kernel_);
  }

  expr_ptr lone_extent() {
    open_names_ = true;
    auto e = expression();
    if (peek().kind != token_kind::end)
      fail("an expression ends early");
    return e;
  }

private:
  // -- tokens ---------------------------------------------------------------------------------------------------------------

  const token& peek(std::size_t ahead = 0) const { return tokens_[std::min(at_ + ahead, tokens_.size() - 1)]; }
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
    explicit nesting(parser& p) : p_(p) { p_.enter(); }
    ~nesting() { --p_.depth_; }
    parser& p_;
  };

  // -- names ----------------------------------------------------------------------------------------------------------------

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

  // -- types ----------------------------------------------------------------------------------------------------------------

  static bool qualifier(const std::string& t) {
    return t == "const" || t == "static" || t == "inline" || t == "constexpr" || t == "unsigned" || t == "signed" || t == "register" ||
           t == "volatile" || t == "thread_local" || t == "extern";
  }
  bool at_type() const {
    std::size_t k = 0;
    while (peek(k).kind == token_kind::identifier && qualifier(peek(k).text))
      ++k;
    if (k > 0 && peek(k).kind == token_kind::text)
      ++k;
    if (is("std", k) && is("::", k + 1))
      k += 2;
    return peek(k).kind == token_kind::identifier && (type_names().count(peek(k).text) || peek(k).text == "vector") && !is("(", k + 1) &&
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
      if (peek().kind == token_kind::text) { // the language of `extern "C"`
        take();
      } else if (peek().kind == token_kind::identifier && qualifier(peek().text)) {
        if (is("volatile") || is("thread_local"))
          fail("`" + peek().text + "` is not understood");
        if (is("unsigned") && (is("char", 1) || is("short", 1) || is("int", 1) || is("long", 1)) )
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
      } else if (peek().kind == token_kind::identifier && type_names().count(peek().text) && (!found || is("long") || is("int"))) {
        if (!found)
          out.type = type_names().at(peek().text);
        take();
        found = true;
      } else if (found && (is("*") || is("&"))) {
        out.pointer = out.pointer || is("*");
        take();
      } else if (found && (is("__restrict__") || is("__restrict") || is("restrict"))) {
        take();
      } else {
        break;
      }
    }
    if (!found)
      fail("`" + peek().text + "` is not a type of the subset");
    return out;
  }

  // -- file level -----------------------------------------------------------------------------------------------------------

  void top_level() {
    if (accept(";") || accept("}"))
      return;
    if (is("using")) {
      while (!accept(";"))
        if (take().kind == token_kind::end)
          fail("the file ends early");
      return;
    }
    if (is("namespace")) {
      while (!accept("{"))
        if (take().kind == token_kind::end)
          fail("the file ends early");
      return;
    }
    if (is("extern") && peek(1).kind == token_kind::text && is("{", 2)) {
      at_ += 3;
      return;
    }
    while (is("[") && is("[", 1)) // attributes
      while (!accept("]") || !accept("]"))
        if (take().kind == token_kind::end)
          fail("the file ends early");
    auto t = type();
    auto name = take().text;
    if (is("(")) {
      function(t, name);
      return;
    }
    expect("=");
    auto value = cast_to(t.type, expression());
    expect(";");
    scopes_.front()[name] = {symbol::constant, name, value->type, {}, value};
  }

  void function(const type_reading& result, const std::string& name) {
    expect("(");
    scopes_.emplace_back();
    std::vector<parameter> parameters;
    while (!accept(")")) {
      if (accept("void") && is(")"))
        continue;
      auto t = type();
      auto own = take().text;
      auto unique_name = unique(own);
      parameters.push_back({unique_name, t.type, t.pointer, t.constant, {}});
      symbol s{t.pointer ? symbol::pointer : symbol::scalar, unique_name, t.type, {unique_name, nullptr}, nullptr};
      scopes_.back()[own] = s;
      if (!is(")"))
        expect(",");
    }
    accept("noexcept");
    if (accept(";")) { // a declaration
      scopes_.pop_back();
      return;
    }
    if (!is("{"))
      fail("the function `" + name + "` has no body");
    if (name == "kernel") {
      kernel_function out;
      out.parameters = std::move(parameters);
      out.body = without_leaves(statement());
      kernel_ = std::move(out);
    } else {
      helper_function helper;
      helper.type = result.type;
      for (const auto& p : parameters) {
        if (p.pointer)
          fail("the helper `" + name + "` takes a pointer");
        helper.parameters.emplace_back(p.name, p.type);
      }
      in_helper_ = true;
      auto body = statement();
      in_helper_ = false;
      helper.result = value_of(body, 0);
      if (!helper.result)
        fail("the helper `" + name + "` is more than declarations and returns");
      helper.result = cast_to(result.type, helper.result);
      helpers_[name] = std::move(helper);
    }
    scopes_.pop_back();
  }

  /// The value that a helper's statements return, declarations substituted; null if they do more than that.
  expr_ptr value_of(const std::vector<stmt>& body, std::size_t from) {
    if (from >= body.size())
      return nullptr;
    const auto& s = body[from];
    if (s.kind == stmt_kind::leave)
      return s.value;
    if (s.kind == stmt_kind::declare && s.value) {
      auto rest = value_of(body, from + 1);
      return rest ? replace_name(rest, s.name, s.value) : nullptr;
    }
    if (s.kind == stmt_kind::branch) {
      auto yes = value_of(s.body, 0);
      auto no = s.other.empty() ? value_of(body, from + 1) : value_of(s.other, 0);
      return yes && no ? ternary(s.value, yes, no) : nullptr;
    }
    return nullptr;
  }

  /// `if (c) continue; rest` becomes `if (!c) { rest }`; `if (c) return;` likewise at the top of the kernel.
  std::vector<stmt> without_leaves(std::vector<stmt> body) {
    std::vector<stmt> out;
    for (std::size_t i = 0; i < body.size(); ++i) {
      auto& s = body[i];
      if (s.kind == stmt_kind::leave)
        return out;
      if (s.kind == stmt_kind::branch) {
        bool ends = !s.body.empty() && s.body.back().kind == stmt_kind::leave;
        if (ends && s.other.empty()) {
          std::vector<stmt> rest(std::make_move_iterator(body.begin() + static_cast<std::ptrdiff_t>(i) + 1),
                                 std::make_move_iterator(body.end()));
          s.body.pop_back();
          stmt turned;
          turned.kind = stmt_kind::branch;
          if (s.body.empty()) {
            turned.value = negated(s.value);
            turned.body = without_leaves(std::move(rest));
          } else {
            turned.value = s.value;
            turned.body = without_leaves(std::move(s.body));
            turned.other = without_leaves(std::move(rest));
          }
          out.push_back(std::move(turned));
          return out;
        }
        s.body = without_leaves(std::move(s.body));
        s.other = without_leaves(std::move(s.other));
        visit({s}, [&](const stmt& inner) {
          if (inner.kind == stmt_kind::leave)
            throw outside_subset{"the reference leaves a loop or the kernel from within nested branches"};
        });
      } else if (s.kind == stmt_kind::loop) {
        visit(s.body, [&](const stmt& inner) {
          if (inner.kind == stmt_kind::leave && inner.op == "return")
            throw outside_subset{"the reference returns from within a loop"};
        });
        s.body = without_leaves(std::move(s.body));
      }
      out.push_back(std::move(s));
    }
    return out;
  }

  static expr_ptr negated(const expr_ptr& c) {
    static const std::map<std::string, std::string> opposite = {{"<", ">="}, {">", "<="}, {"<=", ">"}, {">=", "<"}, {"==", "!="}, {"!=", "=="}};
    if (c->kind == expr_kind::binary) {
      auto it = opposite.find(c->text);
      if (it != opposite.end() && is_integer(c->args[0]->type) && is_integer(c->args[1]->type))
        return binary(it->second, c->args[0], c->args[1]);
      if (c->text == "||")
        return binary("&&", negated(c->args[0]), negated(c->args[1]));
      if (c->text == "&&")
        return binary("||", negated(c->args[0]), negated(c->args[1]));
    }
    if (c->kind == expr_kind::unary && c->text == "!")
      return c->args[0];
    return unary("!", c);
  }

  // -- statements -----------------------------------------------------------------------------------------------------------

  std::vector<stmt> statement() {
    nesting guard{*this};
    std::vector<stmt> out;
    if (accept(";"))
      return out;
    if (accept("{")) {
      scopes_.emplace_back();
      while (!accept("}")) {
        if (peek().kind == token_kind::end)
          fail("the file ends early");
        for (auto& s : statement())
          out.push_back(std::move(s));
      }
      scopes_.pop_back();
      return out;
    }
    if (accept("for")) {
      out.push_back(loop());
      return out;
    }
    if (accept("if")) {
      accept("constexpr");
      stmt s;
      s.kind = stmt_kind::branch;
      expect("(");
      s.value = expression();
      expect(")");
      s.body = scoped_statement();
      if (accept("else"))
        s.other = scoped_statement();
      out.push_back(std::move(s));
      return out;
    }
    if (is("continue") || is("return")) {
      stmt s;
      s.kind = stmt_kind::leave;
      s.op = take().text;
      if (!is(";"))
        s.value = expression();
      if (s.op == "return" && !in_helper_ && s.value)
        fail("`kernel` returns a value");
      expect(";");
      out.push_back(std::move(s));
      return out;
    }
    for (const char* word : {"while", "do", "switch", "break", "goto", "try", "throw", "struct", "class"})
      if (is(word))
        fail("`" + std::string{word} + "` is not understood");
    if (at_type()) {
      declarations(out);
      return out;
    }
    do {
      out.push_back(simple());
    } while (accept(","));
    expect(";");
    return out;
  }

  std::vector<stmt> scoped_statement() {
    scopes_.emplace_back();
    auto out = statement();
    scopes_.pop_back();
    return out;
  }

  stmt loop() {
    stmt s;
    s.kind = stmt_kind::loop;
    expect("(");
    scopes_.emplace_back();
    if (!at_type())
      fail("a `for` must declare its variable");
    auto t = type();
    auto own = take().text;
    if (t.pointer || !is("="))
      fail("a `for` must count over an integer");
    take();
    s.from = expression();
    if (!is(";"))
      fail("a `for` must declare one variable");
    take();
    s.type = t.type == value_type::unknown ? s.from->type : t.type;
    if (!is_integer(s.type))
      fail("a `for` must count over an integer");
    s.name = unique(own);
    scopes_.back()[own] = {symbol::scalar, s.name, s.type, {}, nullptr};
    auto condition = expression();
    expect(";");
    if (condition->kind != expr_kind::binary)
      fail("the condition of a `for` must compare its variable");
    auto op = condition->text;
    auto left = condition->args[0], right = condition->args[1];
    if (right->kind == expr_kind::name && right->text == s.name && (op == ">" || op == ">=")) {
      std::swap(left, right);
      op = op == ">" ? "<" : "<=";
    }
    if (left->kind != expr_kind::name || left->text != s.name || mentions(right, s.name))
      fail("the condition of a `for` must compare its variable");
    if (op == "<" || op == "!=")
      s.to = right;
    else if (op == "<=")
      s.to = binary("+", right, number(1));
    else
      fail("a `for` must count upwards");
    if (is("++")) {
      take();
      if (take().text != own)
        fail("a `for` must step its own variable");
    } else {
      if (take().text != own)
        fail("a `for` must step its own variable");
      if (accept("+=")) {
        auto by = expression();
        if (by->kind != expr_kind::number || by->text.size() > 9 || !is_integer(by->type))
          fail("the step of a `for` must be a number");
        s.step = std::stoll(by->text);
      } else {
        expect("++");
      }
    }
    if (s.step < 1 || (op == "!=" && s.step != 1))
      fail("a `for` must count upwards");
    expect(")");
    s.body = statement();
    scopes_.pop_back();
    if (assigned_in(s.body).count(s.name))
      fail("the loop over `" + own + "` changes its variable");
    return s;
  }

  void declarations(std::vector<stmt>& out) {
    auto t = type();
    do {
      bool pointer = t.pointer;
      while (accept("*"))
        pointer = true;
      auto own = take();
      if (own.kind != token_kind::identifier)
        fail("a name was expected before `" + own.text + "`");
      if (pointer || (t.type == value_type::unknown && is("=") && points(at_ + 1))) {
        expect("=");
        auto target = pointer_expression();
        scopes_.back()[own.text] = {symbol::pointer, "", array_type(target.array), target, nullptr};
        continue;
      }
      stmt s;
      s.type = t.type;
      if (t.vector || is("[")) {
        s.kind = stmt_kind::array;
        s.op = t.vector ? "vector" : "stack";
        bool brace = false;
        if (t.vector) {
          brace = is("{");
          if (brace)
            fail("a vector must be given its size in parentheses");
          expect("(");
        } else {
          expect("[");
        }
        s.value = expression();
        if (t.vector && accept(","))
          s.from = cast_to(t.type, expression());
        expect(t.vector ? ")" : "]");
        if (is("["))
          fail("arrays of arrays are not understood");
        if (!t.vector && accept("=")) {
          expect("{");
          if (!is("}") && !accept("0") && !accept("0.0f") && !accept("0.f") && !accept("0.0"))
            fail("an array may only start as zeros");
          expect("}");
          s.op = "zeros";
        }
        s.name = unique(own.text);
        arrays_[s.name] = t.type;
        scopes_.back()[own.text] = {symbol::pointer, s.name, t.type, {s.name, nullptr}, nullptr};
      } else {
        s.kind = stmt_kind::declare;
        if (accept("=")) {
          s.value = expression();
        } else if (is("(") || is("{")) {
          auto close = take().text == "(" ? ")" : "}";
          s.value = is(close) ? number(0) : expression();
          expect(close);
        }
        if (s.type == value_type::unknown) {
          if (!s.value || s.value->type == value_type::unknown)
            fail("the type of `" + own.text + "` is not known");
          s.type = s.value->type;
        }
        if (s.value)
          s.value = cast_to(s.type, s.value);
        s.name = unique(own.text);
        scopes_.back()[own.text] = {symbol::scalar, s.name, s.type, {}, nullptr};
      }
      out.push_back(std::move(s));
    } while (accept(","));
    expect(";");
  }

  stmt simple() {
    stmt s;
    if (is("++") || is("--")) {
      s.op = take().text == "++" ? "+=" : "-=";
      s.target = assignable();
      s.value = number(1);
      return s;
    }
    s.target = assignable();
    if (is("++") || is("--")) {
      s.op = take().text == "++" ? "+=" : "-=";
      s.value = number(1);
      return s;
    }
    s.op = take().text;
    if (s.op != "=" && s.op != "+=" && s.op != "-=" && s.op != "*=" && s.op != "/=")
      fail("`" + s.op + "` is not an assignment of the subset");
    s.value = expression();
    return s;
  }

  expr_ptr assignable() {
    auto e = postfix();
    if (e->kind != expr_kind::index && (e->kind != expr_kind::name || !assigned_name(e->text)))
      fail("only variables and array elements can be assigned");
    return e;
  }
  bool assigned_name(const std::string& unique_name) const { return used_.count(unique_name) > 0; }

  // -- pointers -------------------------------------------------------------------------------------------------------------

  bool points(std::size_t at) {
    if (tokens_[at].text == "&")
      return true;
    auto* s = find(tokens_[at].text);
    return s && s->kind == symbol::pointer && at + 1 < tokens_.size() && tokens_[at + 1].text != "[";
  }
  value_type array_type(const std::string& array) const {
    auto it = arrays_.find(array);
    return it == arrays_.end() ? value_type::unknown : it->second;
  }
  static expr_ptr sum(const expr_ptr& a, const expr_ptr& b) { return a && b ? binary("+", a, b) : a ? a : b; }

  pointer_value pointer_expression() {
    pointer_value out;
    if (accept("&")) {
      auto e = postfix();
      if (e->kind != expr_kind::index)
        fail("only the address of an array element is understood");
      out = {e->text, e->args[0]};
    } else if (accept("(")) {
      out = pointer_expression();
      expect(")");
    } else {
      auto word = take().text;
      auto* s = find(word);
      if (!s || s->kind != symbol::pointer)
        fail("`" + word + "` is not a pointer that can be followed");
      out = s->alias;
      arrays_.emplace(out.array, s->type);
    }
    while (is("+") || is("-")) {
      auto op = take().text;
      auto by = product();
      out.offset = sum(out.offset, op == "+" ? by : unary("-", by));
    }
    return out;
  }

  // -- expressions ----------------------------------------------------------------------------------------------------------

  static expr_ptr cast_to(value_type to, const expr_ptr& e) {
    return to == value_type::unknown ? e : cast(to, e);
  }

  expr_ptr expression() {
    nesting guard{*this};
    auto condition = level(0);
    if (!accept("?"))
      return condition;
    auto yes = expression();
    expect(":");
    return ternary(condition, yes, expression());
  }

  expr_ptr level(std::size_t k) {
    static const std::vector<std::vector<std::string>> operators = {
        {"||"}, {"&&"}, {"|"}, {"^"}, {"&"}, {"==", "!="}, {"<", ">", "<=", ">="}, {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"}};
    if (k == operators.size())
      return prefix();
    auto left = level(k + 1);
    while (peek().kind == token_kind::mark &&
           std::find(operators[k].begin(), operators[k].end(), peek().text) != operators[k].end()) {
      auto op = take().text;
      if (op == "|" || op == "^" || op == "&" || op == "<<" || op == ">>")
        fail("the bit operator `" + op + "` is not understood");
      left = binary(op, left, level(k + 1));
    }
    return left;
  }
  expr_ptr product() { return level(9); }

  expr_ptr prefix() {
    nesting guard{*this};
    if (accept("+"))
      return prefix();
    if (is("-") || is("!")) {
      auto op = take().text;
      return unary(op, prefix());
    }
    if (is("(") && cast_ahead()) {
      take();
      auto t = type();
      if (t.pointer)
        fail("pointers cannot be cast");
      expect(")");
      return cast_to(t.type, prefix());
    }
    return postfix();
  }

  bool cast_ahead() const {
    std::size_t k = 1;
    while (peek(k).kind == token_kind::identifier && qualifier(peek(k).text))
      ++k;
    if (is("std", k) && is("::", k + 1))
      k += 2;
    if (!type_names().count(peek(k).text))
      return false;
    while (type_names().count(peek(k).text))
      ++k;
    return is(")", k) || is("*", k);
  }

  expr_ptr postfix() {
    auto e = primary();
    if (is("[") || is(".") || is("->"))
      fail("`" + peek().text + "` cannot be followed here");
    return e;
  }

  expr_ptr primary() {
    if (accept("(")) {
      auto e = expression();
      expect(")");
      return e;
    }
    auto t = take();
    if (t.kind == token_kind::number) {
      auto e = number_from(t.text);
      if (!e)
        fail("the number `" + t.text + "` is not understood");
      return e;
    }
    if (t.kind != token_kind::identifier)
      fail("`" + t.text + "` is not understood");
    bool standard = false;
    if (t.text == "std" && accept("::")) {
      standard = true;
      t = take();
    } else if (t.text.empty()) {
      fail("a name was expected");
    }
    if (t.text == "static_cast") {
      expect("<");
      auto to = type();
      expect(">");
      expect("(");
      auto e = expression();
      expect(")");
      return cast_to(to.type, e);
    }
    if (t.text == "numeric_limits")
      return limit();
    if (type_names().count(t.text) && (is("(") || is("{"))) {
      auto close = take().text == "(" ? ")" : "}";
      auto e = is(close) ? number(0) : expression();
      expect(close);
      return cast_to(type_names().at(t.text), e);
    }
    if (is("(") || (standard && is("<")))
      return function_call(t.text, standard);
    return variable(t.text);
  }

  expr_ptr limit() {
    expect("<");
    auto t = type().type;
    expect(">");
    expect("::");
    auto what = take().text;
    expect("(");
    expect(")");
    if (t == value_type::unknown || t == value_type::f16)
      fail("limits of this type are not understood");
    return number("std::numeric_limits<" + std::string{spelling(t)} + ">::" + what + "()", t);
  }

  expr_ptr function_call(const std::string& name, bool standard) {
    value_type forced = value_type::unknown;
    if (standard && accept("<")) {
      forced = type().type;
      expect(">");
    }
    expect("(");
    std::vector<expr_ptr> args;
    while (!accept(")")) {
      args.push_back(expression());
      if (!is(")"))
        expect(",");
    }
    if (auto it = helpers_.find(name); it != helpers_.end() && !standard) {
      const auto& helper = it->second;
      if (args.size() != helper.parameters.size())
        fail("`" + name + "` is called with another number of arguments");
      auto e = helper.result;
      for (std::size_t i = 0; i < args.size(); ++i)
        e = replace_name(e, helper.parameters[i].first, cast_to(helper.parameters[i].second, args[i]));
      return e;
    }
    auto it = function_names().find(name);
    if (it == function_names().end() || args.empty() || args.size() > 3)
      fail("the function `" + name + "` is not known");
    if (it->second.second != value_type::unknown)
      forced = it->second.second;
    bool clamp_like = name == "max" || name == "min";
    if (strict_ && !standard && !clamp_like && forced == value_type::unknown)
      forced = value_type::f64;
    if (name == "abs" && !standard && !is_float(args[0]->type))
      forced = value_type::i32;
    for (auto& arg : args) {
      if (arg->type == value_type::unknown)
        fail("the type of an argument of `" + name + "` is not known");
      if (!clamp_like && it->second.first != "abs" && is_integer(arg->type) && forced == value_type::unknown)
        arg = cast(value_type::f64, arg);
      arg = cast_to(forced, arg);
    }
    return call(it->second.first, std::move(args));
  }

  expr_ptr variable(const std::string& word) {
    static const std::map<std::string, std::pair<const char*, value_type>> constants = {
        {"INFINITY", {"std::numeric_limits<float>::infinity()", value_type::f32}},
        {"HUGE_VALF", {"std::numeric_limits<float>::infinity()", value_type::f32}},
        {"HUGE_VAL", {"std::numeric_limits<double>::infinity()", value_type::f64}},
        {"FLT_MAX", {"std::numeric_limits<float>::max()", value_type::f32}},
        {"DBL_MAX", {"std::numeric_limits<double>::max()", value_type::f64}},
        {"FLT_EPSILON", {"std::numeric_limits<float>::epsilon()", value_type::f32}},
        {"M_PI", {"3.14159265358979323846", value_type::f64}},
        {"M_SQRT1_2", {"0.70710678118654752440", value_type::f64}},
        {"M_SQRT2", {"1.41421356237309504880", value_type::f64}},
        {"M_2_SQRTPI", {"1.12837916709551257390", value_type::f64}},
        {"true", {"true", value_type::boolean}},
        {"false", {"false", value_type::boolean}},
    };
    auto* s = find(word);
    if (!s) {
      if (auto it = constants.find(word); it != constants.end())
        return number(it->second.first, it->second.second);
      if (open_names_)
        return name(word, value_type::i64);
      fail("the name `" + word + "` is not known");
    }
    if (s->kind == symbol::constant)
      return s->value;
    if (s->kind == symbol::scalar)
      return name(s->unique, s->type);
    auto type = s->type == value_type::unknown ? array_type(s->alias.array) : s->type;
    auto alias = s->alias;
    expect("[");
    auto subscript = expression();
    expect("]");
    arrays_.emplace(alias.array, type);
    return element(alias.array, sum(alias.offset, subscript), type);
  }

  static expr_ptr number_from(std::string text) {
    text.erase(std::remove(text.begin(), text.end(), '\''), text.end());
    if (text.empty() || (!std::isdigit(static_cast<unsigned char>(text[0])) && text[0] != '.'))
      return nullptr;
    bool hex = text.size() > 1 && (text[1] == 'x' || text[1] == 'X');
    bool real = !hex && text.find_first_of(".eE") != std::string::npos;
    if (real) {
      auto type = text.back() == 'f' || text.back() == 'F' ? value_type::f32 : value_type::f64;
      return number(text, type);
    }
    if (hex)
      return nullptr;
    auto end = text.find_first_not_of("0123456789");
    auto suffix = end == std::string::npos ? std::string{} : text.substr(end);
    if (suffix == "u" || suffix == "U" || suffix.size() > 3)
      return nullptr;
    auto digits = text.substr(0, end);
    if (digits.size() > 18)
      return nullptr;
    return number(digits, suffix.empty() ? value_type::i32 : value_type::i64);
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

} // namespace

parse_outcome parse_kernel(std::string_view source, bool strict) {
  try {
    return {parser{source, strict}.run(), {}};
  } catch (const std::exception& error) {
    return {std::nullopt, error.what()};
  }
}

expr_ptr parse_extent(std::string_view text) {
  try {
    return parser{text, false}.lone_extent();
  } catch (const std::exception&) {
    return nullptr;
  }
}

} // namespace ke::playbook
