#pragma once

#include "runtime/core/names.hpp"
#include "runtime/core/result.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace ke {

enum class relational : std::uint8_t { equal, unequal, at_most, at_least, below, above };
KE_NAMES(relational, 6, "==", "!=", "<=", ">=", "<", ">")

/// A fact about shape symbols that holds in every shape of a problem: two formulas (expression.hpp) and one
/// comparison: "N == 2*H", "K <= L", "C % G == 0".
struct relation {
  std::string left, right;
  relational how = relational::equal;
};

/// `invalid` unless there is exactly one comparison with a formula on each side. The formulas are judged when
/// evaluated.
result<relation> relation_of(std::string_view text);

/// Whether it holds for these values, as whole numbers. Fails as integer_value does.
result<bool> holds(const relation& which, const std::map<std::string, std::int64_t>& symbols);

/// Whether the expression names this symbol.
bool names_symbol(std::string_view expression, std::string_view symbol);

} // namespace ke
