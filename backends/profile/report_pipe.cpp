#include "backends/profile/report_pipe.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace ke {

report_pipe report_pipe::make() {
  report_pipe made;
  int ends[2];
  if (::pipe2(ends, O_CLOEXEC) != 0)
    return made;
  made.in_.reset(ends[0]);
  made.out_.reset(ends[1]);
  if (::fchmod(ends[0], 0) != 0 || ::fcntl(ends[0], F_SETFL, O_NONBLOCK) != 0)
    return {};
  return made;
}

std::string report_pipe::taken() {
  constexpr std::size_t most = 64u << 10;
  out_.reset();
  std::string text;
  char part[4096];
  for (ssize_t n; text.size() < most && (n = ::read(in_.get(), part, sizeof part)) > 0;)
    text.append(part, static_cast<std::size_t>(n));
  return text;
}

} // namespace ke
