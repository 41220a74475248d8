#pragma once

#include "runtime/core/problem.hpp"
#include "runtime/core/result.hpp"

#include <string_view>
#include <vector>

namespace ke {

/// The header of a NumPy .npy file, format versions 1 to 3.
struct npy_header {
  std::string descr; ///< "<f4"
  std::vector<std::int64_t> shape;
  std::size_t data_at = 0; ///< offset of the first element
};

/// `invalid` if the bytes are no .npy file, are in Fortran order, or do not hold exactly the elements that
/// the header announces.
result<npy_header> read_npy_header(std::string_view bytes);

/// Can this file's element type initialise the dtype without conversion? bf16 is raw 16-bit words, bool may
/// be bytes.
bool npy_fits(const npy_header& header, dtype type);

/// "1x3x224"; "scalar" for no dimensions.
std::string shape_text(const std::vector<std::int64_t>& shape);

} // namespace ke
