#pragma once

#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace ke {

/// xoshiro256** seeded by splitmix64. The judge's key comes from the kernel (secret_key); a candidate never
/// sees its stream twice.
class random_source {
public:
  explicit random_source(std::uint64_t key) {
    for (auto& word : s_) {
      key += 0x9e3779b97f4a7c15u;
      std::uint64_t z = key;
      z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
      z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
      word = z ^ (z >> 31);
    }
  }
  std::uint64_t next() {
    std::uint64_t out = rotate(s_[1] * 5, 7) * 9, t = s_[1] << 17;
    s_[2] ^= s_[0];
    s_[3] ^= s_[1];
    s_[1] ^= s_[2];
    s_[0] ^= s_[3];
    s_[2] ^= t;
    s_[3] = rotate(s_[3], 45);
    return out;
  }
  std::uint64_t below(std::uint64_t n) {
    return n ? static_cast<std::uint64_t>((static_cast<unsigned __int128>(next()) * n) >> 64) : 0;
  }
  /// All orders are equally likely.
  template <class T>
  void shuffle(std::vector<T>& of) {
    for (std::size_t i = of.size(); i > 1; --i)
      std::swap(of[i - 1], of[below(i)]);
  }
  double uniform() { return static_cast<double>(next() >> 11) * 0x1p-53; } ///< [0, 1)
  /// Four 16-bit uniforms summed: mean 0, variance 1, close enough to normal for data and three times as
  /// fast. The sum has only a quarter of a million values, which a kernel could tabulate before it is timed;
  /// a fraction from all bits fills the space between them.
  double normal() {
    std::uint64_t x = next();
    double sum = static_cast<double>(x & 0xffff) + static_cast<double>((x >> 16) & 0xffff) +
                 static_cast<double>((x >> 32) & 0xffff) + static_cast<double>(x >> 48);
    double between = static_cast<double>((x * 0xd1342543de82ef95u) >> 32) * 0x1p-32;
    return (sum + between - 131070.5) * (1.7320508075688772 / 65536.0);
  }

private:
  static std::uint64_t rotate(std::uint64_t x, int k) { return (x << k) | (x >> (64 - k)); }
  std::uint64_t s_[4];
};

/// 64 bits from the kernel's random source.
std::uint64_t secret_key();

} // namespace ke
