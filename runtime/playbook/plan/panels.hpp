#pragma once

#include "runtime/playbook/read/normalize.hpp"

#include <optional>
#include <string>
#include <vector>

namespace ke::playbook {

/// A kernel whose results are all sums of products of a factor by row and a factor by column: a product of
/// matrices, in any layout, or a convolution. The loops around are independent; before the sum there are only
/// declarations, after it only stores and their scalars.
struct product {
  std::vector<const stmt*> batches;   ///< outermost first; neither rows nor columns
  const stmt* rows = nullptr;         ///< the loop that only the left factor reads
  const stmt* columns = nullptr;      ///< the loop along which results lie side by side
  std::vector<const stmt*> reduction; ///< outermost first
  std::vector<stmt> before, after;
  std::string sum; ///< the accumulator, declared in `before`
  value_type type = value_type::f32;
  expr_ptr left, right;     ///< factors by row and by column, of `type`
  bool right_along = false; ///< the right factor lies along the innermost reduction, not along the columns
};

/// `strict`: only if packing keeps every rounding of the reference.
std::optional<product> find_product(const understood_kernel& u, bool strict);

struct panel_options {
  std::int64_t threads = 1, vector_bytes = 32;
  std::int64_t rows = 6;    ///< of a register tile
  std::int64_t vectors = 2; ///< columns of a register tile, in vectors
  std::int64_t depth = 256; ///< steps of the outermost reduction loop per pass over a panel
  bool both = false;        ///< the rows are packed, too
};

/// Copies the right factor into aligned panels, as wide as a register tile, in the order of the sums' reads;
/// each tile then runs through its panel with fused multiply-adds. Sums keep their order.
std::string emit_panels(const understood_kernel& u, const product& p, const panel_options& o);

} // namespace ke::playbook
