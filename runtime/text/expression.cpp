#include "runtime/text/expression.hpp"

#include <algorithm>
#include <bit>
#include <charconv>
#include <cmath>
#include <limits>
#include <vector>

namespace ke {
namespace {

constexpr std::size_t longest_text = 4096;
constexpr int deepest = 64;

/// Leaves the recursion; never escapes this file.
struct stop {
  std::string text;
};

[[noreturn]] std::int64_t overflow() {
  throw stop{"the value does not fit 64 bits"};
}

/// Checked arithmetic over int64.
struct integers {
  using value = std::int64_t;

  static value add(value a, value b) {
    value x;
    return __builtin_add_overflow(a, b, &x) ? overflow() : x;
  }
  static value sub(value a, value b) {
    value x;
    return __builtin_sub_overflow(a, b, &x) ? overflow() : x;
  }
  static value mul(value a, value b) {
    value x;
    return __builtin_mul_overflow(a, b, &x) ? overflow() : x;
  }
  static value div(value a, value b) { return refuse_zero(b), b == -1 ? sub(0, a) : a / b; }
  static value mod(value a, value b) { return refuse_zero(b), b == -1 ? 0 : a % b; }
  static value pow(value a, value b) {
    if (b < 0)
      throw stop{"a whole number to a negative power"};
    if (a == 0 || a == 1)
      return b == 0 ? 1 : a;
    if (a == -1)
      return b % 2 ? -1 : 1;
    value product = 1;
    for (; b > 0; --b) // at most 63 rounds: |a| >= 2 overflows after that
      product = mul(product, a);
    return product;
  }
  static value ceil(value a) { return a; }
  static value floor(value a) { return a; }
  static value ceildiv(value a, value b) {
    auto quotient = div(a, b);
    return mod(a, b) != 0 && (a < 0) == (b < 0) ? add(quotient, 1) : quotient;
  }
  static value log2(value a) {
    if (a <= 0)
      throw stop{"log2 of a number that is not positive"};
    return std::bit_width(static_cast<std::uint64_t>(a)) - 1;
  }
  static value sqrt(value a) {
    if (a < 0)
      throw stop{"sqrt of a negative number"};
    auto root = static_cast<value>(std::sqrt(static_cast<double>(a)));
    while (root > 3037000499 || root * root > a) // 3037000499^2 is the last square below 2^63
      --root;
    while (root < 3037000499 && (root + 1) * (root + 1) <= a)
      ++root;
    return root;
  }
  static value number(std::string_view digits) {
    if (digits.find_first_of(".eE") != digits.npos)
      throw stop{"a whole number is expected here, not \"" + std::string{digits} + "\""};
    value x = 0;
    auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), x);
    if (error == std::errc::result_out_of_range)
      overflow();
    return x;
  }
  static value finish(value x) { return x; }

private:
  static void refuse_zero(value b) {
    if (b == 0)
      throw stop{"division by zero"};
  }
};

struct reals {
  using value = double;

  static value add(value a, value b) { return a + b; }
  static value sub(value a, value b) { return a - b; }
  static value mul(value a, value b) { return a * b; }
  static value div(value a, value b) { return refuse_zero(b), a / b; }
  static value mod(value a, value b) { return refuse_zero(b), std::fmod(a, b); }
  static value pow(value a, value b) { return std::pow(a, b); }
  static value ceil(value a) { return std::ceil(a); }
  static value floor(value a) { return std::floor(a); }
  static value ceildiv(value a, value b) { return std::ceil(div(a, b)); }
  static value log2(value a) {
    if (!(a > 0))
      throw stop{"log2 of a number that is not positive"};
    return std::log2(a);
  }
  static value sqrt(value a) {
    if (a < 0)
      throw stop{"sqrt of a negative number"};
    return std::sqrt(a);
  }
  static value number(std::string_view digits) {
    value x = 0;
    auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), x);
    if (error == std::errc::result_out_of_range)
      overflow();
    if (end != digits.data() + digits.size())
      throw stop{"\"" + std::string{digits} + "\" is not a number"};
    return x;
  }
  static value finish(value x) {
    if (!std::isfinite(x))
      throw stop{"the value is not a finite number"};
    return x;
  }

private:
  static void refuse_zero(value b) {
    if (b == 0)
      throw stop{"division by zero"};
  }
};

/// Recursive descent, one function per level of precedence, evaluating as it goes.
template <class Arithmetic>
class reader {
public:
  using value = typename Arithmetic::value;

  reader(std::string_view text, const std::map<std::string, std::int64_t>& symbols)
      : text_{text}, symbols_{symbols} {}

  value all() {
    auto x = sum();
    skip_blanks();
    if (at_ < text_.size())
      throw stop{"an operator is expected before \"" + std::string{text_.substr(at_, 1)} + "\""};
    return Arithmetic::finish(x);
  }

  std::size_t column() const { return std::min(at_, text_.size()) + 1; }

private:
  value sum() {
    auto x = product();
    for (;;) {
      if (take("+"))
        x = Arithmetic::add(x, product());
      else if (take("-"))
        x = Arithmetic::sub(x, product());
      else
        return x;
    }
  }

  value product() {
    auto x = signed_power();
    for (;;) {
      if (!starts("**") && take("*"))
        x = Arithmetic::mul(x, signed_power());
      else if (take("/"))
        x = Arithmetic::div(x, signed_power());
      else if (take("%"))
        x = Arithmetic::mod(x, signed_power());
      else
        return x;
    }
  }

  /// The sign binds more loosely than a power: -2**2 is -4, as in Python.
  value signed_power() {
    level guard{*this};
    if (take("-"))
      return Arithmetic::sub(0, signed_power());
    if (take("+"))
      return signed_power();
    auto x = primary();
    if (take("**") || take("^"))
      return Arithmetic::pow(x, signed_power());
    return x;
  }

  value primary() {
    skip_blanks();
    if (at_ == text_.size())
      throw stop{"a number, a name or \"(\" is expected at the end"};
    auto c = text_[at_];
    if (take("(")) {
      auto x = sum();
      expect(")");
      return x;
    }
    if (digit(c) || c == '.')
      return Arithmetic::number(number_text());
    if (letter(c))
      return named();
    throw stop{"a number, a name or \"(\" is expected, not \"" + std::string{c} + "\""};
  }

  value named() {
    auto start = at_;
    while (at_ < text_.size() && (letter(text_[at_]) || digit(text_[at_])))
      ++at_;
    auto name = text_.substr(start, at_ - start);
    if (take("("))
      return call(name, start);
    auto symbol = symbols_.find(std::string{name});
    if (symbol == symbols_.end()) {
      at_ = start;
      throw stop{"unknown name \"" + std::string{name} + "\""};
    }
    return static_cast<value>(symbol->second);
  }

  value call(std::string_view name, std::size_t start) {
    std::vector<value> args;
    if (!take(")")) {
      do
        args.push_back(sum());
      while (take(","));
      expect(")");
    }
    auto takes = [&](std::size_t count) {
      if (args.size() != count)
        throw stop{std::string{name} + " takes " + std::to_string(count) + " argument" +
                   (count == 1 ? "" : "s")};
    };
    if (name == "min" || name == "max") {
      if (args.empty())
        throw stop{std::string{name} + " takes at least one argument"};
      return name == "min" ? *std::min_element(args.begin(), args.end())
                           : *std::max_element(args.begin(), args.end());
    }
    if (name == "ceildiv")
      return takes(2), Arithmetic::ceildiv(args[0], args[1]);
    if (name == "ceil")
      return takes(1), Arithmetic::ceil(args[0]);
    if (name == "floor")
      return takes(1), Arithmetic::floor(args[0]);
    if (name == "log2")
      return takes(1), Arithmetic::log2(args[0]);
    if (name == "sqrt")
      return takes(1), Arithmetic::sqrt(args[0]);
    at_ = start;
    throw stop{"unknown function \"" + std::string{name} +
               "\" (known: min max ceil floor ceildiv log2 sqrt)"};
  }

  std::string_view number_text() {
    auto start = at_;
    auto digits = [&] {
      while (at_ < text_.size() && digit(text_[at_]))
        ++at_;
    };
    digits();
    if (at_ < text_.size() && text_[at_] == '.')
      ++at_, digits();
    if (at_ < text_.size() && (text_[at_] == 'e' || text_[at_] == 'E')) {
      auto exponent = at_ + 1;
      if (exponent < text_.size() && (text_[exponent] == '+' || text_[exponent] == '-'))
        ++exponent;
      if (exponent < text_.size() && digit(text_[exponent]))
        at_ = exponent, digits();
    }
    return text_.substr(start, at_ - start);
  }

  struct level {
    explicit level(reader& r) : of{r} {
      if (++of.depth_ > deepest)
        throw stop{"nested deeper than " + std::to_string(deepest) + " levels"};
    }
    ~level() { --of.depth_; }
    reader& of;
  };

  static bool digit(char c) { return c >= '0' && c <= '9'; }
  static bool letter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }
  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t'))
      ++at_;
  }
  bool starts(std::string_view token) {
    skip_blanks();
    return text_.substr(at_).starts_with(token);
  }
  bool take(std::string_view token) {
    if (!starts(token))
      return false;
    at_ += token.size();
    return true;
  }
  void expect(std::string_view token) {
    if (!take(token))
      throw stop{"\"" + std::string{token} + "\" is expected"};
  }

  std::string_view text_;
  const std::map<std::string, std::int64_t>& symbols_;
  std::size_t at_ = 0;
  int depth_ = 0;
};

template <class Arithmetic>
result<typename Arithmetic::value> evaluate(std::string_view text,
                                            const std::map<std::string, std::int64_t>& symbols) {
  if (text.size() > longest_text)
    return failure{failure_kind::invalid, "an expression of " + std::to_string(text.size()) +
                                              " bytes is over the limit of " + std::to_string(longest_text)};
  reader<Arithmetic> in{text, symbols};
  try {
    return in.all();
  } catch (const stop& why) {
    return failure{failure_kind::invalid, "in \"" + std::string{text} + "\", column " +
                                              std::to_string(in.column()) + ": " + why.text};
  }
}

} // namespace

result<std::int64_t> integer_value(std::string_view expression,
                                   const std::map<std::string, std::int64_t>& symbols) {
  return evaluate<integers>(expression, symbols);
}

result<double> real_value(std::string_view expression, const std::map<std::string, std::int64_t>& symbols) {
  return evaluate<reals>(expression, symbols);
}

} // namespace ke
