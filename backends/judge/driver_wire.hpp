#pragma once

#include <cstdint>

// Messages between judge and driver. The driver shares its address space with the candidate, so nothing from
// it is believed: the judge takes its own time, reads outputs from memory it mapped itself, and compares
// sequence numbers.

namespace ke::wire {

/// Descriptors of the driver: the shared memory, orders from the judge, answers to it, and two filters of
/// system calls (runtime/process/seccomp_filter.hpp), before a candidate is loaded and after. Without the
/// last two it runs unfiltered.
inline constexpr int memory_fd = 3;
inline constexpr int go_fd = 4;
inline constexpr int done_fd = 5;
inline constexpr int loading_filter_fd = 6;
inline constexpr int calling_filter_fd = 7;

/// "Call the kernel `calls` times". As many calls follow in the same pipe, and the driver reads each when the
/// one before has ended: a table of all of them in the shared memory would at once tell a second thread where
/// a hundred inputs lie.
struct go {
  std::uint64_t sequence = 0;
  std::uint64_t stay = 0; ///< offset in the shared memory, see `results_may_stay`
  std::uint32_t calls = 0;
  std::uint32_t args = 0;
};

/// One call of an order; `args` offsets of arguments in the shared memory (u64) follow. The driver compares
/// the numbers: a call read by somebody else is missed.
struct call {
  std::uint64_t sequence = 0; ///< of its order
  std::uint64_t number = 0;   ///< of the call, from 0
};

/// Least capacity of the pipe of orders: an order is there as a whole before its first call begins.
inline constexpr std::uint32_t pipe_bytes = 64u << 10;

/// Bytes of one call in the pipe.
constexpr std::uint32_t bytes_of_call(std::size_t args) {
  return static_cast<std::uint32_t>(sizeof(call) + args * sizeof(std::uint64_t));
}

/// Most calls of one order.
constexpr std::uint32_t most_calls(std::size_t args) {
  return (pipe_bytes - static_cast<std::uint32_t>(sizeof(go))) / bytes_of_call(args);
}

/// In `args` of an order of one call, Python only: a result may stay where the candidate made it. The driver
/// writes its address into the table at `stay` (an entry per tensor), and the judge reads it from the stopped
/// process. So no copy is timed that only some candidates could do without.
inline constexpr std::uint32_t results_may_stay = 1u << 31;

enum class answer : std::uint32_t {
  started = 1, ///< the driver runs in its sandbox; no code of a candidate has run so far
  unconfined,  ///< instead of `started`: a filter could not be put in place
  ready,       ///< the object is loaded
  done,
  load_failed,
  out_of_memory,
  exception,
  no_thread,     ///< one more thread than the limit allows
  wrong_form,    ///< Python: the result is not the outputs of the problem
  no_descriptor, ///< Python, as the next two: more open files than the limit allows
  no_space,      ///< the memory file systems are full
  refused,       ///< a system call that the filter refuses
  disordered,    ///< somebody else has read a call of this order
};

/// What a kernel left changed in its process, as bits. The driver restores the floating-point mode.
inline constexpr std::uint32_t left_float_mode = 1, left_signal_handler = 2;

struct done {
  std::uint64_t sequence = 0; ///< of the order; 0 for the two answers before the first one
  answer what = answer::done;
  std::uint32_t left = 0;    ///< bits of `left_*`: a diagnostic
  std::uint64_t took_ns = 0; ///< the driver's own clock: a diagnostic, never a time that counts
};

} // namespace ke::wire
