#pragma once

#include "runtime/core/fields.hpp"

#include <string>
#include <vector>

namespace ke {

/// One launch of a candidate that is device code, as its first comment declares it. Expressions over the
/// problem's dims and scalars (runtime/text/expression.hpp), evaluated by the judge for each call's shapes.
struct declared_launch {
  std::string entry;              ///< an extern "C" __global__ function
  std::vector<std::string> grid;  ///< one to three: blocks along x, y, z
  std::vector<std::string> block; ///< one to three: threads along x, y, z
  std::string shared = "0";       ///< bytes of dynamic shared memory
};
KE_FIELDS(declared_launch, x.entry, x.grid, x.block, x.shared)

/// What the compiler of device code leaves, packed (runtime/core/codec.hpp): an object of the driver "cuda".
struct device_object {
  std::string arch; ///< sm_90
  std::vector<declared_launch> launches;
  std::string cubin;
  std::string compiler_log; ///< registers, spills, shared memory: the assembler's own words
  std::string ptx;          ///< what the code was assembled from; empty: the compiler did not tell
};
KE_FIELDS(device_object, x.arch, x.launches, x.cubin, x.compiler_log, x.ptx)

} // namespace ke
