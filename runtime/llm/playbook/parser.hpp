#pragma once

#include "runtime/llm/playbook/ast.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ke::playbook {

/// What became of a reference: its kernel, or one sentence that says which construct on which line is outside
/// of the subset.
struct parse_outcome {
  std::optional<kernel_function> kernel;
  std::string why;
};

/// The subset: counting loops, if/else, continue, scalar and array declarations, pointer aliases (`const
/// float* row = x + i*N`), assignments, calls of <cmath> functions and of small helper functions (which are
/// inlined). `continue` is gone afterwards. `strict` keeps unqualified calls such as `exp(x)` in double,
/// where the C library has them. Never throws.
parse_outcome parse_kernel(std::string_view source, bool strict = false);

/// An integer expression over names, as in a tensor's shape; null if it is none.
expr_ptr parse_extent(std::string_view text);

} // namespace ke::playbook
