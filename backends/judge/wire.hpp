#pragma once

#include <cstdint>

// What the judge and the driver say to each other. The driver shares its address space with the candidate, so
// nothing that comes from it is believed: the judge takes its own time, reads outputs from memory it mapped
// itself, and compares sequence numbers.

namespace ke::wire {

/// Descriptors of the driver: the shared memory, orders from the judge, answers to it.
inline constexpr int memory_fd = 3;
inline constexpr int go_fd = 4;
inline constexpr int done_fd = 5;

/// "Call the kernel `calls` times": `table` is the offset, in the shared memory, of calls x args offsets of
/// the arguments.
struct go {
  std::uint64_t sequence = 0;
  std::uint64_t table = 0;
  std::uint32_t calls = 0;
  std::uint32_t args = 0;
};

enum class answer : std::uint32_t { ready = 1, done, load_failed, out_of_memory, exception, wrong_form };

struct done {
  std::uint64_t sequence = 0; ///< of the order; 0 for the first answer
  answer what = answer::done;
  std::uint32_t padding = 0;
  std::uint64_t took_ns = 0; ///< the driver's own clock: a diagnostic, never a time that counts
};

} // namespace ke::wire
