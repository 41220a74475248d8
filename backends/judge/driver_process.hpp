#pragma once

#include "backends/judge/order_pipe.hpp"
#include "backends/judge/process_memory.hpp"
#include "runtime/core/result.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ke {

/// How to start a driver.
struct driver_start {
  std::string driver;       ///< path of ke-driver
  std::string object;       ///< the shared object, or "-" for the empty kernel
  std::string sandbox;      ///< full | best | none
  std::size_t memory = 0;   ///< bytes of the shared memory
  std::vector<int> cpus;    ///< to stay on; empty: any
  std::int64_t threads = 1; ///< OMP_NUM_THREADS
  bool fast_math = false;   ///< keep the floating-point mode that the object sets while loading
  std::uint64_t memory_bytes = 4ull << 30; ///< of address space beside the shared memory
  std::uint64_t scratch_bytes = 64ull << 20;
  std::uint64_t log_bytes = 64u << 10;
  std::uint32_t processes = 64;
  std::uint32_t descriptors = 64;
  std::uint64_t inodes = 4096; ///< of each of its memory file systems
  double load_s = 20;          ///< until the object is loaded
  int warm_parent = -1; ///< socket of a warm parent: fork from it with `payload`, do not start `driver`
  std::string payload;
};

enum class call_end : std::uint8_t {
  done,
  crashed,
  timeout,
  resource_exceeded,
  load_failed,
  forged,
  forbidden, ///< a system call that no kernel may make
  machine
};

/// One "go", as the judge saw it. `why` is for a person; empty for `done`, unless the driver reports results
/// of the wrong form.
struct call_outcome {
  call_end end = call_end::done;
  std::string why;
  double ns = 0;          ///< judge's clock, from before "go" to after "done"
  double driver_ns = 0;   ///< the driver's own claim
  double cpu_s = 0;       ///< CPU time between the start and "done"
  double gap_cpu_s = 0;   ///< CPU time between "done" and the proven stop, of all its threads
  double gap_s = 0;       ///< time between these: no work left out by "done" can have taken longer
  std::uint32_t left = 0; ///< bits of wire::left_*: what the kernel left changed, says the driver
};

/// Callbacks while an order runs. Both may be empty.
struct call_watch {
  /// At "done", before the process is stopped: its memory may still change then.
  std::function<void()> at_answer;
  /// Once, after `midway_s` seconds without an answer, with the number of calls that the process has read. It
  /// reads a call when the one before has ended, so the results of all but the last two do not change any
  /// more.
  std::function<void(std::uint32_t begun)> midway;
  double midway_s = 0;
};

/// A driver in its sandbox, stopped except while a call runs. Owns the process, its descendants and the
/// shared memory. One thread. The destructor kills everything.
class driver_process {
public:
  /// Starts the process, waits until the object is loaded, and stops it. `loading` says how that ended: a
  /// candidate that cannot be loaded is no failure of the machine.
  static result<std::unique_ptr<driver_process>> start(const driver_start& how, call_outcome& loading);
  ~driver_process();
  driver_process(const driver_process&) = delete;
  driver_process& operator=(const driver_process&) = delete;

  /// Our mapping of the shared memory.
  std::byte* memory() const;
  std::size_t size() const;
  /// Whether its calls take every tensor's extents after the dims: Python has no C ABI to tell them.
  bool takes_extents() const;

  /// Continues the process, times one order (at most wire::most_calls), stops it again. After anything but
  /// `done` the process is dead.
  call_outcome run(const call_order& what, double limit_s, const call_watch& watch = {});

  /// Whether `read_memory` works: the process is a fork of a warm parent, and we may look into it.
  bool readable() const;
  /// Memory of the stopped process itself. False: there is none at these addresses.
  bool read_memory(std::uint64_t address, char* to, std::size_t bytes) const;

  /// Writes it. False: not possible.
  bool write_memory(std::uint64_t address, const char* from, std::size_t bytes) const;
  /// Whether the page at an address is its own: process_memory.hpp.
  bool owns_page(std::uint64_t address) const;
  /// All such pages.
  std::vector<page_run> own_pages() const;

  /// Pages of these bytes that the stopped process has not written for itself: process_memory.hpp.
  std::uint64_t unwritten(std::uint64_t address, std::uint64_t bytes) const;

  /// Whether nothing of it ran since the last call was stopped. Ask after the last read of its memory.
  bool held() const;

  /// Its output so far, bounded; a candidate's bytes.
  const std::string& log() const;

private:
  struct state;
  explicit driver_process(std::unique_ptr<state> s);
  /// The end of `start`: waits for the first answer.
  static result<std::unique_ptr<driver_process>> loaded(std::unique_ptr<state> s, call_outcome& loading);
  std::unique_ptr<state> state_;
};

} // namespace ke
