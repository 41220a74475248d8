#pragma once

#include "runtime/playbook/read/source_reader.hpp"

/// Inner parts of the parser: included by parser.cpp alone.
namespace ke::playbook::parsing {

/// Expressions and pointers over a source.
class expression_reader : public source_reader {
protected:
  /// Refuses an expression that has grown too far: substitution can double a text again and again.
  expr_ptr small(const expr_ptr& e) const {
    if (size_of(e) > 5000)
      fail("an inlined expression becomes too large");
    return e;
  }

  // -- pointers -----------------------------------------------------------------------------------

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

  // -- expressions --------------------------------------------------------------------------------

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
        {"||"},       {"&&"},     {"|"},          {"^"}, {"&"}, {"==", "!="}, {"<", ">", "<=", ">="},
        {"<<", ">>"}, {"+", "-"}, {"*", "/", "%"}};
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
    return named(t.text, standard);
  }

  /// What a name begins, which has been taken.
  expr_ptr named(const std::string& text, bool standard) {
    if (text == "static_cast") {
      expect("<");
      auto to = type();
      expect(">");
      expect("(");
      auto e = expression();
      expect(")");
      return cast_to(to.type, e);
    }
    if (text == "numeric_limits")
      return limit();
    if (type_names().count(text) && (is("(") || is("{"))) {
      auto close = take().text == "(" ? ")" : "}";
      auto e = is(close) ? number(0) : expression();
      expect(close);
      return cast_to(type_names().at(text), e);
    }
    if (is("(") || (standard && is("<")))
      return function_call(text, standard);
    return variable(text);
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

  /// What the helper returns, with the arguments in place.
  template <class Helper>
  expr_ptr helper_call(const std::string& name, const Helper& helper, const std::vector<expr_ptr>& args) {
    if (args.size() != helper.parameters.size())
      fail("`" + name + "` is called with another number of arguments");
    auto e = helper.result;
    for (std::size_t i = 0; i < args.size(); ++i)
      e = small(replace_name(e, helper.parameters[i].first, cast_to(helper.parameters[i].second, args[i])));
    return e;
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
    if (auto it = helpers_.find(name); it != helpers_.end() && !standard)
      return helper_call(name, it->second, args);
    if (auto carrier = carrier_of(name); carrier != value_type::unknown && args.size() == 1 && !standard) {
      bool widens = !name.starts_with("ke_float_to_");
      if (widens != is_integer(args[0]->type) || args[0]->type == value_type::unknown)
        fail("`" + name + "` is given a value of another type");
      return call(name, {cast_to(widens ? carrier : value_type::f32, args[0])});
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
};

} // namespace ke::playbook::parsing
