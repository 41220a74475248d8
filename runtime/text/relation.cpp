#include "runtime/text/relation.hpp"

#include "runtime/text/expression.hpp"
#include "runtime/text/source_text.hpp"

namespace ke {
result<relation> relation_of(std::string_view text) {
  auto bad = [&] {
    return failure{failure_kind::invalid, "\"" + std::string{text} +
                                              "\" is no relation: expected two expressions with one of == != "
                                              "<= >= < > between them, e.g. \"N == 2*H\""};
  };
  auto at = text.find_first_of("=!<>");
  if (at == text.npos)
    return bad();
  relation found;
  bool known = false;
  std::size_t length = 0;
  for (std::size_t i = 0; i < names_of<relational>::value.size() && !known; ++i)
    if (auto name = names_of<relational>::value[i]; text.substr(at).starts_with(name)) {
      found.how = static_cast<relational>(i);
      length = name.size();
      known = true;
    }
  if (!known)
    return bad();
  found.left = trimmed(text.substr(0, at));
  found.right = trimmed(text.substr(at + length));
  if (found.left.empty() || found.right.empty() || found.right.find_first_of("=!<>") != std::string::npos)
    return bad();
  return found;
}

result<bool> holds(const relation& which, const std::map<std::string, std::int64_t>& symbols) {
  auto left = integer_value(which.left, symbols);
  if (!left)
    return left.error();
  auto right = integer_value(which.right, symbols);
  if (!right)
    return right.error();
  switch (which.how) {
  case relational::equal:
    return *left == *right;
  case relational::unequal:
    return *left != *right;
  case relational::at_most:
    return *left <= *right;
  case relational::at_least:
    return *left >= *right;
  case relational::below:
    return *left < *right;
  case relational::above:
    return *left > *right;
  }
  return false;
}

bool names_symbol(std::string_view expression, std::string_view symbol) {
  auto word = [&](std::size_t i) {
    return i < expression.size() &&
           (std::isalnum(static_cast<unsigned char>(expression[i])) || expression[i] == '_');
  };
  for (auto at = expression.find(symbol); at != expression.npos; at = expression.find(symbol, at + 1))
    if (!(at > 0 && word(at - 1)) && !word(at + symbol.size()))
      return true;
  return false;
}

} // namespace ke
