#pragma once

#include "runtime/core/result.hpp"

#include <string_view>

namespace ke {

/// product.md "Exit codes".
enum exit_code : int {
  exit_done = 0,
  exit_unproven = 1,
  exit_usage = 2,
  exit_missing = 3,
  exit_internal = 4,
  exit_paused = 5,
  exit_store = 6,
  exit_interrupted = 130,
};

inline int exit_code_of(const failure& why) {
  switch (why.kind) {
  case failure_kind::none:
    return exit_done;
  case failure_kind::invalid:
  case failure_kind::not_found:
    return exit_usage;
  case failure_kind::missing:
    return exit_missing;
  case failure_kind::disk_full:
  case failure_kind::credit:
  case failure_kind::auth:
    return exit_paused;
  case failure_kind::corrupt:
  case failure_kind::newer_version:
  case failure_kind::held:
    return exit_store;
  case failure_kind::cancelled:
    return exit_interrupted;
  default:
    return exit_internal;
  }
}

/// One line "ke-runtime: TEXT" on stderr, or "ke-runtime COMMAND: TEXT", without anything that looks like a
/// secret. Returns the failure's exit code.
int complain(const failure& why, std::string_view command = {});

} // namespace ke
