#include "runtime/playbook/read/poly.hpp"

#include <algorithm>

namespace ke::playbook {
namespace {

using monomial = std::vector<std::string>;

void add(poly& to, const monomial& m, std::int64_t c) {
  auto& slot = to.terms[m];
  slot += c;
  if (slot == 0)
    to.terms.erase(m);
}

bool graded_less(const monomial& a, const monomial& b) {
  return a.size() != b.size() ? a.size() < b.size() : a < b;
}

/// a / b if b's factors are all in a.
std::optional<monomial> quotient(const monomial& a, const monomial& b) {
  if (!std::includes(a.begin(), a.end(), b.begin(), b.end()))
    return std::nullopt;
  monomial out;
  std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::back_inserter(out));
  return out;
}

} // namespace

poly poly::constant(std::int64_t value) {
  poly out;
  add(out, {}, value);
  return out;
}

poly poly::variable(const std::string& name) {
  poly out;
  out.terms[{name}] = 1;
  return out;
}

bool poly::mentions(const std::string& name) const {
  return std::any_of(terms.begin(), terms.end(), [&](const auto& t) {
    return std::find(t.first.begin(), t.first.end(), name) != t.first.end();
  });
}

std::optional<std::int64_t> poly::as_constant() const {
  if (terms.empty())
    return 0;
  if (terms.size() == 1 && terms.begin()->first.empty())
    return terms.begin()->second;
  return std::nullopt;
}

std::optional<poly> poly::coefficient(const std::string& name) const {
  poly out;
  for (const auto& [m, c] : terms) {
    auto power = std::count(m.begin(), m.end(), name);
    if (power > 1)
      return std::nullopt;
    if (power == 1)
      add(out, *quotient(m, {name}), c);
  }
  return out;
}

poly poly::substitute(const std::string& name, const poly& by) const {
  poly out;
  for (const auto& [m, c] : terms) {
    poly term = constant(c);
    for (const auto& factor : m)
      term = term * (factor == name ? by : variable(factor));
    out = out + term;
  }
  return out;
}

bool poly::surely_nonnegative(const std::set<std::string>& sizes) const {
  return std::all_of(terms.begin(), terms.end(), [&](const auto& t) {
    return t.second >= 0 && std::all_of(t.first.begin(), t.first.end(),
                                        [&](const std::string& n) { return sizes.count(n) > 0; });
  });
}

poly operator+(const poly& a, const poly& b) {
  poly out = a;
  for (const auto& [m, c] : b.terms)
    add(out, m, c);
  return out;
}

poly operator-(const poly& a, const poly& b) {
  poly out = a;
  for (const auto& [m, c] : b.terms)
    add(out, m, -c);
  return out;
}

poly operator*(const poly& a, const poly& b) {
  poly out;
  for (const auto& [m, c] : a.terms)
    for (const auto& [n, d] : b.terms) {
      monomial both = m;
      both.insert(both.end(), n.begin(), n.end());
      std::sort(both.begin(), both.end());
      std::int64_t product;
      if (!__builtin_mul_overflow(c, d, &product))
        add(out, both, product);
    }
  return out;
}

std::optional<poly> to_poly(const expr_ptr& e, const std::set<std::string>& varying) {
  if (!e || !is_integer(e->type))
    return std::nullopt;
  switch (e->kind) {
  case expr_kind::number:
    if (e->text.empty() || e->text.find_first_not_of("0123456789") != std::string::npos)
      return std::nullopt;
    return poly::constant(std::stoll(e->text));
  case expr_kind::name:
    if (varying.count(e->text))
      return std::nullopt;
    return poly::variable(e->text);
  case expr_kind::cast:
    return bytes_of(e->type) >= 4 ? to_poly(e->args[0], varying) : std::nullopt;
  case expr_kind::unary: {
    auto a = to_poly(e->args[0], varying);
    if (!a || e->text != "-")
      return std::nullopt;
    return poly{} - *a;
  }
  case expr_kind::binary: {
    auto a = to_poly(e->args[0], varying), b = to_poly(e->args[1], varying);
    if (!a || !b)
      return std::nullopt;
    if (e->text == "+")
      return *a + *b;
    if (e->text == "-")
      return *a - *b;
    if (e->text == "*")
      return *a * *b;
    return std::nullopt;
  }
  default:
    return std::nullopt;
  }
}

bool contiguous(const expr_ptr& subscript, const std::string& variable) {
  auto p = to_poly(subscript);
  auto c = p ? p->coefficient(variable) : std::nullopt;
  return c && c->as_constant() == 1;
}

expr_ptr to_expr(const poly& p) {
  expr_ptr out;
  for (const auto& [m, c] : p.terms) {
    expr_ptr term;
    for (const auto& factor : m) {
      auto n = name(factor, value_type::i64);
      term = term ? binary("*", term, n) : n;
    }
    auto size = c < 0 ? -c : c;
    if (!term)
      term = number(size);
    else if (size != 1)
      term = binary("*", number(size), term);
    if (out)
      out = binary(c < 0 ? "-" : "+", out, term);
    else
      out = c < 0 ? unary("-", term) : term;
  }
  return out ? out : number(0);
}

division divide(const poly& p, const poly& by) {
  division out{{}, p};
  auto lead = std::max_element(by.terms.begin(), by.terms.end(),
                               [](const auto& a, const auto& b) { return graded_less(a.first, b.first); });
  if (lead == by.terms.end())
    return out;
  for (int step = 0; step < 64; ++step) {
    bool changed = false;
    for (const auto& [m, c] : out.remainder.terms) {
      auto q = quotient(m, lead->first);
      if (!q || c % lead->second != 0)
        continue;
      poly factor;
      add(factor, *q, c / lead->second);
      out.quotient = out.quotient + factor;
      out.remainder = out.remainder - factor * by;
      changed = true;
      break;
    }
    if (!changed)
      break;
  }
  return out;
}

std::vector<poly> delinearize(const poly& subscript, const std::vector<poly>& shape) {
  std::vector<poly> out;
  poly rest = subscript;
  for (std::size_t m = 0; m < shape.size(); ++m) {
    poly stride = poly::constant(1);
    for (std::size_t t = m + 1; t < shape.size(); ++t)
      stride = stride * shape[t];
    if (m + 1 == shape.size()) {
      out.push_back(rest);
      break;
    }
    auto parts = divide(rest, stride);
    out.push_back(parts.quotient);
    rest = parts.remainder;
  }
  return out;
}

} // namespace ke::playbook
