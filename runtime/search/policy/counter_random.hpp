#pragma once

#include "runtime/core/fields.hpp"

#include <cstdint>

namespace ke {

/// One round of a 64-bit mixer: turns a counter into well-spread bits. The constants are splitmix64's.
constexpr std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15ull;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9ull;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

/// A seeded generator whose state is two numbers: the n-th output is a pure function of (key, n), so a
/// journal's fold reproduces it and a hash covers it. The standard library's distributions differ between
/// implementations.
class random_source {
public:
  random_source() = default;
  explicit random_source(std::uint64_t seed, std::uint64_t stream = 0) : key_{mix(mix(seed) ^ stream)} {}

  std::uint64_t next() { return mix(key_ ^ mix(position_++)); }

  /// Uniform in [0, 1).
  double uniform() { return static_cast<double>(next() >> 11) * 0x1.0p-53; }

  /// Uniform in [0, n); n > 0. The bias of the multiplication is below n / 2^64.
  std::uint64_t below(std::uint64_t n) {
    return static_cast<std::uint64_t>((static_cast<unsigned __int128>(next()) * n) >> 64);
  }

  /// Nearly a standard normal deviate: the sum of twelve uniform ones. The same on every machine.
  double normal() {
    double sum = -6;
    for (int i = 0; i < 12; ++i)
      sum += uniform();
    return sum;
  }

  void seek(std::uint64_t position) { position_ = position; } ///< as if this many had been drawn
  std::uint64_t key() const { return key_; }
  std::uint64_t position() const { return position_; } ///< numbers drawn so far

private:
  std::uint64_t key_ = 0;
  std::uint64_t position_ = 0;
};

} // namespace ke
