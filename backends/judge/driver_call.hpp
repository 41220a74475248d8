#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ke {

/// What the driver of a device needs beside what every driver does.
struct device_access {
  int number = 0;                   ///< of the device, for the driver library
  std::string uuid;                 ///< "GPU-…": the only one that the process sees
  std::string library;              ///< path of the driver library
  std::vector<std::string> nodes;   ///< device nodes, writable: of this device and no other
  std::vector<std::string> folders; ///< read-only: libraries
  std::size_t arena_bytes = 0;      ///< of the arena, as the device rounded it
  std::size_t pool_bytes = 0;       ///< of its end, which the judge never writes: for what calls allocate
  std::uint64_t address_bytes = 20ull << 30; ///< that the driver library reserves beside it
  /// Host code of a candidate runs in the process: what it does there says nothing about the device.
  bool foreign = false;
};

/// How to start a driver.
struct driver_start {
  std::string driver;       ///< path of ke-driver
  std::string object;       ///< the shared object, or "-" for the empty kernel
  std::string sandbox;      ///< full | best | none
  std::size_t memory = 0;   ///< bytes of the arena
  std::vector<int> cpus;    ///< to stay on; empty: any
  std::int64_t threads = 1; ///< OMP_NUM_THREADS
  bool fast_math = false;   ///< keep the floating-point mode that the object sets while loading
  std::uint64_t memory_bytes = 4ull << 30; ///< of address space beside the arena
  std::uint64_t scratch_bytes = 64ull << 20;
  std::uint64_t log_bytes = 64u << 10;
  std::uint32_t processes = 64;
  std::uint32_t descriptors = 64;
  std::uint64_t inodes = 4096; ///< of each of its memory file systems
  double load_s = 20;          ///< until the object is loaded
  int warm_parent = -1; ///< socket of a warm parent: fork from it with `payload`, do not start `driver`
  std::string payload;
  std::optional<device_access> device; ///< of a device's driver
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

/// One order, as the judge saw it. `why` is for a person; empty for `done`, unless the driver reports results
/// of the wrong form.
struct call_outcome {
  call_end end = call_end::done;
  std::string why;
  double ns = 0;          ///< judge's clock, from before "go" to after "done"
  double driver_ns = 0;   ///< the driver's own claim
  double cpu_s = 0;       ///< CPU time between the start and "done"
  double awake_s = 0;     ///< CPU time of its process since it was stopped the last time
  double late_s = 0;      ///< how much later than "done" its work ended: known once the driver is closed
  std::uint32_t left = 0; ///< bits of wire::left_*: what the kernel left changed, says the driver
};

/// One order: `calls` times `args` offsets of arguments in the arena, call after call.
struct call_order {
  std::uint32_t calls = 0, args = 0; ///< wire::most_calls(args) calls at most
  std::vector<std::uint64_t> offsets;
  std::uint64_t stay = 0; ///< if not 0: results may stay where they are made; the place for their addresses
  bool graph = false;     ///< by replay of a graph of its calls, where the driver has such
};

/// A look while an order runs: once, after `after_s` seconds without an answer, with the number of calls that
/// the driver has read. It reads a call when the one before has ended, so the results of all but the last two
/// do not change any more. Empty: none.
struct call_watch {
  std::function<void(std::uint32_t begun)> midway;
  double after_s = 0;
};

} // namespace ke
