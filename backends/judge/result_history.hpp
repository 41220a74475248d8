#pragma once

#include "backends/judge/process_memory.hpp"

#include <cstdint>
#include <unordered_set>
#include <vector>

namespace ke {

/// Earlier places of a process's results, and its own memory before. A result returned for the first time in
/// memory that was the process's own before the call may have been filled then, in one buffer of many: its
/// pages count as a copy, once. Memory fresh in the call, and memory that has held a result (result_marks),
/// does not count. One process, Python's. Not thread-safe.
class result_history {
public:
  /// Pages wholly in the result that were the process's own at the last look and have held no result since.
  std::uint64_t filled_before(std::uint64_t address, std::uint64_t bytes);
  /// Whether to look at its memory before the next call: never done, or results came to new places.
  bool wants_look() const { return wants_look_; }
  /// `own`: its pages, in order.
  void look(std::vector<page_run> own);

private:
  bool was_own(std::uint64_t page) const;
  std::vector<page_run> own_;
  std::unordered_set<std::uint64_t> results_; ///< pages
  bool wants_look_ = true;
};

} // namespace ke
