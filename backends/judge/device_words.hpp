#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

// The page that judge and driver of a device share. Both spin on it: a pipe would cost 7 us of each order, and
// up to 700 where somebody sleeps. The driver lives beside foreign code, so the judge believes nothing in it:
// `done` ends a wait, and is followed by a fence and a look at the results. Device code does not see it: it is
// never registered with the device.

namespace ke::wire {

/// The driver's descriptor of the page, beside those of driver_wire.hpp.
inline constexpr int words_fd = 8;
inline constexpr std::size_t words_bytes = 1u << 20;

/// What is asked of a driver.
enum class device_request : std::uint32_t {
  prime = 1, ///< an empty kernel and a wait: the driver's turn on the device
  prepare, ///< takes the values of the next order; with `graph` makes its graph. Its inputs are not there yet
  run,     ///< the order, and a wait for all of it
  files,   ///< of Python: packs what compilers left to the place in the arena that is the first value
  leave, ///< of ke-cuda-driver: as many ns of work as the first value says, and no wait for it (forged_orders.hpp)
};

/// Grid, block, dynamic shared memory of a declared launch, as values.
inline constexpr std::size_t values_per_launch = 7;

struct device_words {
  /// The judge's: the number of its last request, and what that is.
  alignas(64) std::atomic<std::uint32_t> asked;
  device_request request;
  std::uint32_t calls, tensors, others, launches; ///< of an order; others: scalars and dims of a call
  std::uint32_t graph;                            ///< 1: by replay of a graph
  /// The driver's: the number of the last request that it has ended, and how (wire::answer).
  alignas(64) std::atomic<std::uint32_t> answered;
  std::uint32_t answer;
  std::uint64_t took_ns; ///< its own clock: a diagnostic
  /// Per call: offsets of tensors in the arena, the bits of the others, and each launch's. A driver whose results lie
  /// where they were made answers with the offsets of all tensors.
  alignas(64) std::uint64_t values[(words_bytes - 192) / sizeof(std::uint64_t)];
};
static_assert(sizeof(device_words) <= words_bytes);

constexpr std::size_t most_words = sizeof(device_words::values) / sizeof(std::uint64_t);

} // namespace ke::wire
