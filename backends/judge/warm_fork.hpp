#pragma once

#include "runtime/core/result.hpp"
#include "runtime/process/spawn.hpp"
#include "runtime/process/unique_fd.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace ke {

/// A request to a warm parent (backends/torch-cpu/fork_server.py), with its limits.
struct fork_request {
  int parent = -1; ///< its socket
  int memory = -1, go = -1, done = -1;
  /// Of a fork that works on a device: its orders (device_words.hpp); `memory` is its arena then.
  int page = -1;
  std::string payload; ///< for the fork; its parent does not read it
  std::uint32_t processes = 0;
  std::uint64_t address_space = 0; ///< beyond the parent's
  std::uint64_t file_bytes = 0;
  std::uint64_t scratch_bytes = 0;
  std::uint32_t descriptors = 0;
  std::uint64_t inodes = 0;
  double wait_s = 120; ///< for the answer: a fresh parent imports torch first
};

/// A process forked for us by a warm parent. Not our child: the parent collects it and tells how it ended.
/// The destructor kills it. One thread.
class warm_fork {
public:
  /// Failures are the machine's: the parent is gone, or cannot fork.
  static result<warm_fork> ask(const fork_request& what);
  /// Waits until the parent of this socket has imported what it imports, so that forks come at once. Failures as of `ask`.
  static status ready(int parent, double wait_s = fork_request{}.wait_s);
  warm_fork(warm_fork&&) = default;
  ~warm_fork();

  child process;                ///< pid in our namespace, pidfd, streams; we never reap it
  std::uint64_t base_bytes = 0; ///< its address space at birth

  /// How it ended, if it does within `wait`.
  std::optional<child_end> ended(std::chrono::nanoseconds wait = {});
  child_end kill();
  /// Why it could not enter its sandbox; empty: it did.
  const std::string& trouble() const { return trouble_; }

private:
  warm_fork() = default;
  unique_fd control_;
  std::string trouble_;
  bool over_ = false;
};

} // namespace ke
