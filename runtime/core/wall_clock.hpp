#pragma once

#include <chrono>
#include <cstdint>

namespace ke {

/// Milliseconds since 1970 by this machine's clock, which may jump: for what a person reads, never for time
/// limits.
inline std::uint64_t unix_ms_now() {
  using namespace std::chrono;
  return static_cast<std::uint64_t>(
      duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count());
}

} // namespace ke
