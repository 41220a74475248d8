#pragma once

#include "runtime/core/result.hpp"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <string>

namespace ke {

/// "signal 11 (SIGSEGV)".
inline std::string signal_name(int number) {
  const char* name = sigabbrev_np(number);
  return "signal " + std::to_string(number) + (name ? " (SIG" + std::string{name} + ")" : "");
}

/// The machine's fault, not the candidate's: tried again elsewhere. `what` follows "cannot"; `errno` gives
/// the reason.
inline failure machine_failure(const std::string& what) {
  return {failure_kind::device, "the judge cannot " + what + ": " + std::strerror(errno), true};
}

} // namespace ke
