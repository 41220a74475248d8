#include "backends/judge/order_pipe.hpp"

#include "backends/judge/driver_wire.hpp"

#include <fcntl.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <string>

namespace ke {

result<order_pipe> order_pipe::make(unique_fd& driver_end) {
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return failure{failure_kind::device, std::string{"the judge cannot make a pipe: "} + std::strerror(errno),
                   true};
  driver_end.reset(ends[0]);
  order_pipe made;
  made.end_.reset(ends[1]);
  // Who has many pipes gets them with one page each.
  if (::fcntl(ends[1], F_GETPIPE_SZ) < static_cast<int>(wire::pipe_bytes) &&
      ::fcntl(ends[1], F_SETPIPE_SZ, wire::pipe_bytes) < 0)
    return failure{failure_kind::device,
                   std::string{"the judge cannot make a pipe of 64 KiB: "} + std::strerror(errno), true};
  ::fchmod(ends[0], 0);                  // nobody opens it anew, through /proc, to write into it
  ::fcntl(ends[1], F_SETFL, O_NONBLOCK); // our end alone: the driver's waits for orders
  return made;
}

bool order_pipe::send(std::uint64_t sequence, const call_order& what) {
  wire::go head{sequence, what.stay, what.calls, what.args | (what.stay != 0 ? wire::results_may_stay : 0)};
  std::size_t args = what.args * sizeof(std::uint64_t), each = wire::bytes_of_call(what.args);
  message_.resize(sizeof head + what.calls * each);
  std::memcpy(message_.data(), &head, sizeof head);
  for (std::uint32_t c = 0; c < what.calls; ++c) {
    auto* to = message_.data() + sizeof head + c * each;
    wire::call one{sequence, c};
    std::memcpy(to, &one, sizeof one);
    if (args != 0)
      std::memcpy(to + sizeof one, what.offsets.data() + std::size_t{c} * what.args, args);
  }
  auto n = ::write(end_.get(), message_.data(), message_.size());
  if (n >= 0 && n < static_cast<ssize_t>(message_.size()))
    errno = EAGAIN; // there was room for a part
  return n == static_cast<ssize_t>(message_.size());
}

std::size_t order_pipe::left_unread() const {
  int bytes = 0;
  return ::ioctl(end_.get(), FIONREAD, &bytes) == 0 ? static_cast<std::size_t>(std::max(0, bytes)) : 0;
}

std::uint32_t order_pipe::begun(const call_order& what) const {
  auto left = left_unread() / wire::bytes_of_call(what.args);
  return what.calls - static_cast<std::uint32_t>(std::min<std::size_t>(left, what.calls));
}

} // namespace ke
