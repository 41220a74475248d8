#pragma once

#include "backends/judge/secret_random.hpp"
#include "runtime/core/problem.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <span>

namespace ke {

/// Memory of a stopped process.
struct marked_memory {
  std::function<bool(std::uint64_t address)> is_own; ///< the page there is the process's own, and written
  std::function<bool(std::uint64_t address, const char* from, std::size_t bytes)> write;
};

/// A result that stays where a process made it belongs to the caller once the call has ended, and the caller
/// may change it: the judge changes the last bit of a few elements (in eight bits: of eight side by side), in
/// pages drawn at random. A later call
/// that writes a result in the same memory removes the marks; a page that still has them was left from
/// before. Only floating-point results: one unit in the last place disturbs nobody who reads his own results
/// again. One process. Not thread-safe.
class result_marks {
public:
  /// Pages wholly in the result at `address` that no call has written since they were marked, estimated from
  /// marked ones. `copy`: the bytes of the result; marks still there are undone in it.
  std::uint64_t unwritten(std::uint64_t address, std::span<char> copy);
  /// Marks this result; `copy` has its bytes.
  void place(const marked_memory& memory, dtype d, std::uint64_t address, std::span<const char> copy,
             random_source& random);

private:
  struct mark {
    std::uint64_t at = 0;
    std::array<char, 8> was{}, now{};
    std::size_t bytes = 0;
  };
  static constexpr std::size_t per_page = 2; ///< by chance a new value may equal a marked old one
  using marks = std::array<mark, per_page>;
  std::map<std::uint64_t, marks> pages_; ///< by the page's address
};

} // namespace ke
