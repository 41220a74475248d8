#pragma once

#include "runtime/core/result.hpp"

#include <cstdint>
#include <string_view>
#include <vector>

namespace ke {

enum class dtype : std::uint8_t;

/// The header of a NumPy .npy file, format versions 1 to 3.
struct npy_header {
  std::string descr; ///< "<f4"
  std::vector<std::int64_t> shape;
  std::size_t data_at = 0; ///< offset of the first element
};

/// `invalid`: no .npy file, in Fortran order, or not exactly as many elements as the header announces.
result<npy_header> read_npy_header(std::string_view bytes);

/// Whether this file's elements can initialise the dtype without conversion. bf16 is raw 16-bit words,
/// f8e4m3 and f8e5m2 are raw bytes, bool may be bytes.
bool npy_fits(const npy_header& header, dtype type);

/// "1x3x224"; "scalar" for no dimensions.
std::string shape_text(const std::vector<std::int64_t>& shape);

} // namespace ke
