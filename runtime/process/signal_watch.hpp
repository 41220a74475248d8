#pragma once

#include <csignal>
#include <functional>
#include <thread>
#include <utility>

namespace ke {

/// SIGINT and SIGTERM as calls on a thread of its own, free of the limits of signal handlers.
class signal_watch {
public:
  /// A descriptor whose end of file is told once; what comes on it before is dropped. Not owned.
  struct lifeline {
    int fd = -1; ///< -1: none
    std::function<void()> on_end;
  };
  /// `on_signal` gets 1 for the first signal, 2 for the second...; `block` must have been called. Throws
  /// std::runtime_error if the system has no descriptors left.
  explicit signal_watch(std::function<void(int)> on_signal);
  signal_watch(std::function<void(int)> on_signal, lifeline line);
  ~signal_watch();
  signal_watch(const signal_watch&) = delete;
  signal_watch& operator=(const signal_watch&) = delete;

  /// Keeps both signals from ending the process. Call it before any thread exists: threads inherit it.
  static void block();

private:
  void run(const std::function<void(int)>& on_signal, lifeline line);

  int fd_ = -1;
  int pipe_[2] = {-1, -1};
  std::thread thread_;
};

} // namespace ke
