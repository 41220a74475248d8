#pragma once

#include "backends/judge/driver_call.hpp"
#include "runtime/core/result.hpp"
#include "runtime/process/unique_fd.hpp"

#include <cstddef>
#include <cstdint>
#include <vector>

namespace ke {

/// The way of orders to a driver. Holds a whole order, from which the driver takes call by call; the judge
/// sees how far it has come. The other end is in a hostile process: nothing here waits for it. One thread.
class order_pipe {
public:
  /// Fails only for the machine's reasons. `driver_end` is for the other process.
  static result<order_pipe> make(unique_fd& driver_end);

  /// Whether the order was taken; else errno: EAGAIN if the pipe is full or was made small.
  bool send(std::uint64_t sequence, const call_order& what);
  /// Unread bytes. A process that answers unread orders is no driver of ours, and a pipe full of orders would
  /// make us wait for room.
  std::size_t left_unread() const;
  /// How many calls of this order, the last one sent, have been read.
  std::uint32_t begun(const call_order& what) const;

private:
  unique_fd end_;
  std::vector<char> message_;
};

} // namespace ke
