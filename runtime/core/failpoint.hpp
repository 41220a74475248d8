#pragma once

#include <atomic>
#include <string_view>

/// Named places where a test can kill the process: KE_FAILPOINT=name:n ends it without any clean-up, as
/// SIGKILL would, at the n-th pass (from 1) of `name`; several are separated by commas. Unset, a pass costs
/// one relaxed load. The local worker of an owner gets KE_FAILPOINT_WORKER instead. Points:
/// store.{before_commit, after_commit, before_callback, before_migration, after_migration}, llm.answered,
/// worker.{after_accept, before_result}.
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

/// Replaces what the environment said; an empty text disarms. False, and nothing armed, if the text can't be
/// read.
bool arm(std::string_view text);

} // namespace ke::failpoint
