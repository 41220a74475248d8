#pragma once

#include "runtime/playbook/read/ast.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace ke::playbook {

/// A reference's kernel, or one sentence that names the construct and line outside the subset.
struct parse_outcome {
  std::optional<kernel_function> kernel;
  std::string why;
};

/// The subset: counting loops, if/else, continue, scalar and array declarations, pointer aliases (`const
/// float* row = x + i*N`), assignments, calls of <cmath> functions and of small helper functions (inlined).
/// `continue` is gone afterwards. `strict` keeps unqualified calls such as `exp(x)` in double, as the C
/// library has them. Never throws.
parse_outcome parse_kernel(std::string_view source, bool strict = false);

/// An integer expression over names, as in a tensor's shape; null if it is none.
expr_ptr parse_extent(std::string_view text);

} // namespace ke::playbook
