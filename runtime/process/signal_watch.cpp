#include "runtime/process/signal_watch.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <stdexcept>
#include <utility>

namespace ke {
namespace {

sigset_t watched_signals() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  return set;
}

} // namespace

signal_watch::signal_watch(std::function<void(int)> on_signal)
    : signal_watch{std::move(on_signal), lifeline{}} {}

signal_watch::signal_watch(std::function<void(int)> on_signal, lifeline line) {
  const auto set = watched_signals();
  fd_ = signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK);
  if (fd_ < 0 || pipe2(pipe_, O_CLOEXEC) != 0) {
    if (fd_ >= 0)
      close(fd_);
    throw std::runtime_error{"signals can't be watched: no descriptors are left"};
  }
  thread_ = std::thread{[this, on_signal = std::move(on_signal), line = std::move(line)]() mutable {
    run(on_signal, std::move(line));
  }};
}

void signal_watch::run(const std::function<void(int)>& on_signal, lifeline line) {
  for (int count = 1;;) {
    pollfd fds[3] = {{fd_, POLLIN, 0}, {pipe_[0], POLLIN, 0}, {line.fd, POLLIN, 0}};
    if (poll(fds, 3, -1) < 0)
      continue;
    if (fds[1].revents)
      return;
    signalfd_siginfo info;
    if (read(fd_, &info, sizeof info) == sizeof info)
      on_signal(count++);
    char bytes[256];
    if (fds[2].revents && read(line.fd, bytes, sizeof bytes) <= 0) {
      line.fd = -1;
      line.on_end();
    }
  }
}

signal_watch::~signal_watch() {
  [[maybe_unused]] auto n = write(pipe_[1], "x", 1);
  thread_.join();
  close(fd_);
  close(pipe_[0]);
  close(pipe_[1]);
}

void signal_watch::block() {
  const auto set = watched_signals();
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

} // namespace ke
