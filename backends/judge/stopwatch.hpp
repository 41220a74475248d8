#pragma once

#include <chrono>

namespace ke {

using steady = std::chrono::steady_clock;

inline double seconds_since(steady::time_point start) {
  return std::chrono::duration<double>(steady::now() - start).count();
}

} // namespace ke
