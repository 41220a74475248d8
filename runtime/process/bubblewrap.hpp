#pragma once

#include "runtime/core/result.hpp"
#include "runtime/process/sandbox.hpp"

#include <cstdint>
#include <filesystem>
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

/// How bwrap is started: by its name where our PATH has it, else by the path of the one that came with this
/// program; empty if there is neither. The machine's own comes first, since systems that restrict user
/// namespaces let it make them, and no other (AppArmor's profile names /usr/bin/bwrap). Asked once. Any thread.
const std::string& bubblewrap_program();

/// The bwrap of an installation whose programs lie in `folder`: `../libexec/ke-runtime/bwrap`. Empty if there
/// is none that we may start.
std::string bubblewrap_of(const std::filesystem::path& folder);

/// Whether a sandbox of root can start this program after it has become another user, its libraries beside it
/// included. Fails: `missing`, naming the folder that is closed to others, and the remedy.
status open_to_others(const std::string& program);

/// A user id for one sandbox alone, because limits on processes count per user. Empty unless we are root and
/// may become it. Ids are taken in turn, 64 per process of ours, from a range used by neither people nor
/// containers.
std::optional<std::uint32_t> next_outer_user();

} // namespace ke
