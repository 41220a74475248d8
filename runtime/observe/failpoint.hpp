#pragma once

#include <atomic>
#include <string_view>

/// Named places where a test can kill the process. KE_FAILPOINT=name:n ends it at the n-th pass (from 1) of
/// `name`, without clean-up, as SIGKILL would; commas separate several. Unset, a pass costs one relaxed load.
/// An owner's local worker reads KE_FAILPOINT_WORKER instead. Points:
///   store.{before_commit, after_commit, before_callback, before_migration, after_migration}
///   llm.answered, worker.{after_accept, before_result}
namespace ke::failpoint {

inline constexpr int exit_code = 137;

namespace detail {
extern std::atomic<bool> armed;
void hit(std::string_view name);
} // namespace detail

/// Any thread.
inline void pass(std::string_view name) {
  if (detail::armed.load(std::memory_order_relaxed))
    detail::hit(name);
}

/// Replaces the environment's list; an empty text disarms. False, and nothing armed, if it can't be read.
bool arm(std::string_view text);

} // namespace ke::failpoint
