#pragma once

#include "runtime/core/result.hpp"
#include "runtime/process/sandbox.hpp"

#include <cstdint>
#include <optional>
#include <string>

namespace ke {

/// The parts of a bubblewrap sandbox. User and mount namespaces are always on: without them there is no
/// sandbox.
struct bubblewrap_parts {
  bool pid = false; ///< with a /proc of its own
  bool net = false;
  bool ipc = false;
  bool uts = false;
  bool no_userns = false; ///< no further user namespaces inside
  bool seccomp = false;
  bool drop_user = false; ///< we are root and become an unprivileged user first
};

/// The argv and descriptors of a bwrap that runs `inner`. As `sandboxed`, but with exactly these parts.
result<process_spec> bubblewrapped(process_spec inner, const sandbox_spec& spec,
                                   const bubblewrap_parts& parts);

/// A user id for one sandbox alone, because limits on processes count per user. Empty unless we are root and
/// may become it. Ids are taken in turn, 64 per process of ours, from a range used by neither people nor
/// containers.
std::optional<std::uint32_t> next_outer_user();

} // namespace ke
