#include "interface/cli/signal_watch.hpp"

#include <fcntl.h>
#include <poll.h>
#include <sys/signalfd.h>
#include <unistd.h>

namespace ke::cli {

signal_watch::signal_watch(std::function<void(int)> on_signal) {
  sigemptyset(&set_);
  sigaddset(&set_, SIGINT);
  sigaddset(&set_, SIGTERM);
  fd_ = signalfd(-1, &set_, SFD_CLOEXEC | SFD_NONBLOCK);
  [[maybe_unused]] auto made = pipe2(pipe_, O_CLOEXEC);
  thread_ = std::thread{[this, on_signal = std::move(on_signal)] {
    for (int count = 1;;) {
      pollfd fds[2] = {{fd_, POLLIN, 0}, {pipe_[0], POLLIN, 0}};
      if (poll(fds, 2, -1) < 0)
        continue;
      if (fds[1].revents)
        return;
      signalfd_siginfo info;
      if (read(fd_, &info, sizeof info) == sizeof info)
        on_signal(count++);
    }
  }};
}

signal_watch::~signal_watch() {
  [[maybe_unused]] auto n = write(pipe_[1], "x", 1);
  thread_.join();
  close(fd_);
  close(pipe_[0]);
  close(pipe_[1]);
}

void signal_watch::block() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  pthread_sigmask(SIG_BLOCK, &set, nullptr);
}

} // namespace ke::cli
