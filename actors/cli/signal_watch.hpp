#pragma once

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include <functional>
#include <thread>
#include <utility>

namespace ke::cli {

/// Ctrl-C and SIGTERM, counted from 1, on a thread of its own while it lives.
class signal_watch {
public:
  explicit signal_watch(std::function<void(int)> on_signal) {
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
  ~signal_watch() {
    [[maybe_unused]] auto n = write(pipe_[1], "x", 1);
    thread_.join();
    close(fd_);
    close(pipe_[0]);
    close(pipe_[1]);
  }
  /// Before any thread exists.
  static void block() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    pthread_sigmask(SIG_BLOCK, &set, nullptr);
  }

private:
  sigset_t set_;
  int fd_ = -1;
  int pipe_[2] = {-1, -1};
  std::thread thread_;
};

} // namespace ke::cli
