#pragma once

#include "backends/judge/process_memory.hpp"

#include <cstdint>
#include <unordered_set>
#include <vector>

namespace ke {

/// Where results of a process have been, and what memory it had before. A result that is returned for the
/// first time in memory that was the process's own before the call may have been filled then, as one of as
/// many buffers as there will be calls: its pages count as a copy, once. Memory that is fresh in the call,
/// and memory that has held a result (result_marks), does not. One process, Python's. Not thread-safe.
class result_history {
public:
  /// Pages that lie wholly in the result, which were the process's own when it was last looked at, and have
  /// held no result since.
  std::uint64_t filled_before(std::uint64_t address, std::uint64_t bytes);
  /// Whether its memory must be looked at before the next call: never done, or results came to new places.
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
