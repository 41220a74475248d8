#pragma once

#include "runtime/text/source_tokens.hpp"

#include <cstdint>
#include <string_view>

namespace ke {

/// The kind of a kernel, on fixed axes of four levels each, so that `evolution` can keep the best of each
/// kind (features.md E4). From the source alone, without comments: defined for failed candidates, too, and
/// the same on every machine.
///   memory       0 plain    1 aligned, restricted or streamed access    2 local tiles or buffers
///                3 both, or prefetched, packed or asynchronous
///   vector       0 none     1 left to the compiler (simd pragmas)       2 vector types
///                3 intrinsics, matrix units
///   parallelism  0 serial   1 several accumulators or unrolled          2 threads or blocks
///                3 both
///   passes       innermost loops: 0 at most one   1 two   2 three or four   3 more
struct kernel_descriptor {
  std::uint8_t memory = 0, vector = 0, parallelism = 0, passes = 0;
  /// A byte each, memory lowest: journal_replied::descriptor.
  std::uint32_t packed() const;
};
kernel_descriptor describe_kernel(std::string_view source, const source_syntax& syntax);

} // namespace ke
