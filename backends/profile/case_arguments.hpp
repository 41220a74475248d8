#pragma once

#include <cstdint>
#include <vector>

namespace ke {

/// One argument of a call as a file of case_file.hpp holds it.
struct case_argument {
  std::uint64_t role = 0;     ///< 0 in, 1 out, 2 inout
  std::uint64_t bytes = 0;    ///< of all its elements
  const char* from = nullptr; ///< its bytes, in the file; null: of an output there are none
};

/// The arguments of a case, in the order of the call: tensors, scalars, dims; 256 at most. The file stays mapped until
/// the process ends. Empty: it can't be read, or is none.
///
/// "KECASE1\n", number of arguments (u64), per argument its role and bytes (u64 each), then the bytes of those that are
/// read, in order.
std::vector<case_argument> read_case(const char* path);

} // namespace ke
