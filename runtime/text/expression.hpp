#pragma once

#include "runtime/core/result.hpp"

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace ke {

/// Formulas of users and candidates: shapes ("N-K+1"), costs ("5*M*N"), launch grids ("ceildiv(N, 256)").
///
///   + - * / %, ** or ^ (right associative), unary + -, parentheses,
///   min(a, b...) max(a, b...) ceil(a) floor(a) ceildiv(a, b) log2(a) sqrt(a), and the names in `symbols`.
///
/// Pure and bounded: at most 4 KiB of text and 64 levels of nesting. `invalid` names the column for a syntax
/// error, an unknown name, a division by zero, an overflow or a result that is not finite.

/// Whole numbers: / truncates towards zero as in C, log2 and sqrt round down; a number with a point is
/// refused.
result<std::int64_t> integer_value(std::string_view expression,
                                   const std::map<std::string, std::int64_t>& symbols);

/// Double precision; % is std::fmod.
result<double> real_value(std::string_view expression, const std::map<std::string, std::int64_t>& symbols);

} // namespace ke
