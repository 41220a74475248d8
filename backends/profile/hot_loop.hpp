#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace ke {

/// The loop with most of the time.
struct hot_loop {
  std::string function;
  std::uint64_t first = 0, last = 0; ///< offsets of its first and last instruction
  double share = 0;                  ///< of all samples, 0..1
  std::size_t instructions = 0;
  std::string body;    ///< AT&T assembly without jumps, calls and padding: what llvm-mca reads
  std::string listing; ///< for a person, with addresses, bounded
  bool calls = false;  ///< calls other functions
  std::size_t bytes = 0;
};

/// The innermost loop with most samples inside the object. From a disassembly (objdump -d) and the places of
/// samples (offset, count), of `samples` in all. `share` 0: there is none. Pure.
hot_loop find_hot_loop(std::string_view disassembly,
                       const std::vector<std::pair<std::uint64_t, double>>& places, double samples);

} // namespace ke
