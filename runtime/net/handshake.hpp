#pragma once

#include "runtime/net/wire.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <variant>

namespace ke::wire {

struct version_range {
  std::uint32_t least = min_version;
  std::uint32_t most = version;
};

/// Answers a hello by versions alone: the highest common one, or why there is none. Pure.
inline std::variant<std::uint32_t, refuse_body> negotiate(version_range ours, const hello_body& theirs) {
  auto most = std::min(ours.most, theirs.max_version);
  if (theirs.min_version <= theirs.max_version && most >= std::max(ours.least, theirs.min_version))
    return most;
  return refuse_body{"the worker speaks wire versions " + std::to_string(theirs.min_version) + " to " +
                         std::to_string(theirs.max_version) + ", this coordinator " +
                         std::to_string(ours.least) + " to " + std::to_string(ours.most) +
                         ": install the same ke-runtime on both",
                     false};
}

/// Checks the texts of a hello, which go into documents, logs and terminals: UTF-8 names without control
/// characters, of bounded length and number. Returns a refusal, for good, that names the first fault, or
/// nothing. Pure.
std::optional<refuse_body> fault_in(const hello_body& theirs);

} // namespace ke::wire
