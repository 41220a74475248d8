#pragma once

#include "runtime/playbook/read/normalize.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

namespace ke::playbook {

/// How a kernel's loops are written. The same kernel with other options is another candidate.
struct emission_options {
  std::int64_t threads = 1; ///< 1: no OpenMP
  bool lanes = true;        ///< explicit vectors; false: `omp simd` hints
  std::int64_t vector_bytes = 32;
  std::int64_t unroll = 1; ///< vectors per step of a vectorised loop
  std::int64_t rows = 1;   ///< iterations of another parallel loop in one body (register tile)
  std::int64_t tile = 0;   ///< elements of the vectorised loop per tile; 0: all
  bool tile_first = false; ///< tiles outside the row loop
  bool reciprocal = false; ///< x / invariant becomes x * (1 / invariant)
  bool strict = false;     ///< every result bit for bit as by the reference's order of operations
  bool hints = true;       ///< lanes = false: `omp simd`; off: plain loops under OpenMP
  /// Rows are fetched this many steps ahead, of the loop that walks over them; 0: none.
  std::int64_t prefetch = 0;
};

struct emission {
  std::string source; ///< empty: not possible with these options
  std::string why;
  bool vectorized = false; ///< some loop was written with explicit vectors
  bool jammed = false;     ///< `rows` had an effect
  bool reduced = false;    ///< a reduction was split over lanes or threads
};

/// The candidate's text without its first comment lines. `samples` are workloads under the kernel's own dim
/// names; they steer choices, never correctness.
emission emit_kernel(const understood_kernel& u, const emission_options& options,
                     const std::vector<std::map<std::string, std::int64_t>>& samples);

/// The signature `extern "C" void kernel(...)` with restrict pointers.
std::string signature(const kernel_function& kernel);

} // namespace ke::playbook
