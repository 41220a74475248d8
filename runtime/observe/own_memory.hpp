#pragma once

#include <atomic>
#include <cstdint>
#include <string_view>
#include <thread>

namespace ke {

/// A field of /proc/self/status, as its number: bytes for memory, else as it stands; 0 if it is not there.
std::uint64_t own_status(std::string_view field);

/// Anonymous memory of this process, in bytes: no mapped files, no program text.
inline std::uint64_t anonymous_bytes() {
  return own_status("RssAnon");
}

/// The most anonymous memory of this process while it lives, looked at every 2 ms on a thread of its own.
class anonymous_peak {
public:
  anonymous_peak();
  ~anonymous_peak();
  std::uint64_t bytes() const; ///< so far

private:
  mutable std::atomic<std::uint64_t> most_ = 0;
  std::atomic<bool> over_ = false;
  std::thread watch_; ///< goes first
};

} // namespace ke
