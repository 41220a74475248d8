#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace ke::peaks {

// Loops that do one thing as fast as this CPU can. In assembly: independent of the compiler that built the
// program, of its flags and sanitizers, and of a compiler on the machine. On other architectures the lists
// are empty and nothing is measured. Pure, except for the memory they are given.

/// Independent arithmetic on registers.
struct rate_kernel {
  const char* key;      ///< "flops.f32.avx2": kind, dtype, instruction set
  double per_iteration; ///< operations; a fused multiply-add counts as two
  void (*run)(std::uint64_t iterations);
  bool (*here)(); ///< this CPU has the instructions
};
std::span<const rate_kernel> rate_kernels();

/// Moves memory: passes over `bytes` from `at`, a multiple of `stream_block`.
struct stream_kernel {
  const char* key; ///< read | write | copy; store and past go round the caches
  std::size_t (*run)(char* at, std::size_t bytes); ///< gives bytes read and written
  bool (*here)();
};
inline constexpr std::size_t stream_block = 4096;
std::span<const stream_kernel> stream_kernels();

/// Follows `steps` pointers; the result keeps the loop alive.
void* chase(void* at, std::uint64_t steps);

/// Dependent additions: one cycle each. 0: there is no such loop.
inline constexpr double chain_per_iteration = 16;
bool chain(std::uint64_t iterations);

} // namespace ke::peaks
