#include "runtime/playbook/read/parser.hpp"

#include "runtime/playbook/read/expression_reader.hpp"

namespace ke::playbook {
namespace {

using namespace parsing;

class parser : public expression_reader {
public:
  parser(std::string_view source, bool strict) {
    strict_ = strict;
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
  // -- file level ---------------------------------------------------------------------------------

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
    auto parameters = parameters_up_to_the_end();
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
      helpers_[name] = helper(result, name, parameters);
    }
    scopes_.pop_back();
  }

  std::vector<parameter> parameters_up_to_the_end() {
    std::vector<parameter> parameters;
    while (!accept(")")) {
      if (accept("void") && is(")"))
        continue;
      auto t = type();
      auto own = take().text;
      auto unique_name = unique(own);
      parameters.push_back({unique_name, t.type, t.pointer, t.constant, {}});
      symbol s{
          t.pointer ? symbol::pointer : symbol::scalar, unique_name, t.type, {unique_name, nullptr}, nullptr};
      scopes_.back()[own] = s;
      if (!is(")"))
        expect(",");
    }
    return parameters;
  }

  helper_function helper(const type_reading& result, const std::string& name,
                         const std::vector<parameter>& parameters) {
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
    return helper;
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
      return rest ? small(replace_name(rest, s.name, s.value)) : nullptr;
    }
    if (s.kind == stmt_kind::branch) {
      auto yes = value_of(s.body, 0);
      auto no = s.other.empty() ? value_of(body, from + 1) : value_of(s.other, 0);
      return yes && no ? ternary(s.value, yes, no) : nullptr;
    }
    return nullptr;
  }

  /// A branch whose body ends by leaving, and what follows it, as a branch that does not leave.
  stmt turned(stmt leaving, std::vector<stmt> rest) {
    leaving.body.pop_back();
    stmt branch;
    branch.kind = stmt_kind::branch;
    if (leaving.body.empty()) {
      branch.value = negated(leaving.value);
      branch.body = without_leaves(std::move(rest));
    } else {
      branch.value = leaving.value;
      branch.body = without_leaves(std::move(leaving.body));
      branch.other = without_leaves(std::move(rest));
    }
    return branch;
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
          out.push_back(turned(std::move(s), std::move(rest)));
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
    static const std::map<std::string, std::string> opposite = {{"<", ">="}, {">", "<="},  {"<=", ">"},
                                                                {">=", "<"}, {"==", "!="}, {"!=", "=="}};
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

  // -- statements ---------------------------------------------------------------------------------

  std::vector<stmt> statement() {
    nesting guard{*this};
    std::vector<stmt> out;
    if (accept(";"))
      return out;
    if (accept("{"))
      return rest_of_block();
    if (accept("for")) {
      out.push_back(loop());
      return out;
    }
    if (accept("if")) {
      out.push_back(branch());
      return out;
    }
    if (is("continue") || is("return")) {
      out.push_back(leave());
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

  std::vector<stmt> rest_of_block() {
    std::vector<stmt> out;
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

  stmt branch() {
    accept("constexpr");
    stmt s;
    s.kind = stmt_kind::branch;
    expect("(");
    s.value = expression();
    expect(")");
    s.body = scoped_statement();
    if (accept("else"))
      s.other = scoped_statement();
    return s;
  }

  stmt leave() {
    stmt s;
    s.kind = stmt_kind::leave;
    s.op = take().text;
    if (!is(";"))
      s.value = expression();
    if (s.op == "return" && !in_helper_ && s.value)
      fail("`kernel` returns a value");
    expect(";");
    return s;
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
    auto op = upper_end(s);
    step(s, own);
    if (s.step < 1 || (op == "!=" && s.step != 1))
      fail("a `for` must count upwards");
    expect(")");
    s.body = statement();
    scopes_.pop_back();
    if (assigned_in(s.body).count(s.name))
      fail("the loop over `" + own + "` changes its variable");
    return s;
  }

  /// Reads a loop's condition; how it compares.
  std::string upper_end(stmt& s) {
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
    return op;
  }

  void step(stmt& s, const std::string& own) {
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
  }

  stmt declared_array(const type_reading& t, const std::string& own) {
    stmt s;
    s.type = t.type;
    s.kind = stmt_kind::array;
    s.op = t.vector ? "vector" : "stack";
    if (t.vector) {
      if (is("{"))
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
    s.name = unique(own);
    arrays_[s.name] = t.type;
    scopes_.back()[own] = {symbol::pointer, s.name, t.type, {s.name, nullptr}, nullptr};
    return s;
  }

  stmt declared_variable(const type_reading& t, const std::string& own) {
    stmt s;
    s.type = t.type;
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
        fail("the type of `" + own + "` is not known");
      s.type = s.value->type;
    }
    if (s.value)
      s.value = cast_to(s.type, s.value);
    s.name = unique(own);
    scopes_.back()[own] = {symbol::scalar, s.name, s.type, {}, nullptr};
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
      out.push_back(t.vector || is("[") ? declared_array(t, own.text) : declared_variable(t, own.text));
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
