#include "runtime/process/capture.hpp"

#include <algorithm>
#include <cerrno>

namespace ke {

void capture::read_some(const std::function<void(std::string_view)>& heard) {
  char chunk[64 << 10];
  for (int round = 0; pipe_ && round < 16; ++round) {
    auto n = ::read(pipe_.get(), chunk, sizeof chunk);
    if (n < 0 && errno == EINTR)
      continue;
    if (n < 0 && errno == EAGAIN)
      return;
    if (n <= 0)
      return close();
    std::string_view got{chunk, static_cast<std::size_t>(n)};
    if (heard)
      heard(got);
    auto room = static_cast<std::size_t>(limit_ - std::min<std::uint64_t>(limit_, kept_.size()));
    cut_ = cut_ || got.size() > room;
    kept_.append(got.substr(0, room));
  }
}

feed::feed(unique_fd pipe, std::string text, bool keep_open)
    : pipe_{std::move(pipe)}, text_{std::move(text)}, keep_open_{keep_open} {
  write_some();
}

void feed::write_some() {
  while (hungry()) {
    auto n = ::write(pipe_.get(), text_.data() + written_, text_.size() - written_);
    if (n > 0)
      written_ += static_cast<std::size_t>(n);
    else if (errno == EAGAIN)
      return;
    else if (errno != EINTR)
      return close(); // EPIPE: the child does not read on, which is its right
  }
  if (!keep_open_)
    close();
}

} // namespace ke
