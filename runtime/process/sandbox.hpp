#pragma once

#include "runtime/core/names.hpp"
#include "runtime/core/result.hpp"
#include "runtime/process/process_port.hpp"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

// Candidates and the compilers that read them are hostile. A sandbox is an argv prefix (bubblewrap) with
// namespaces, a seccomp filter, an unprivileged outer user and limits; it is started like any other child.

namespace ke {

/// The value of `--sandbox`. full: refuse if a required part is absent; best: do without it and say so; none:
/// limits only.
enum class sandbox_level : std::uint8_t { full, best, none };
KE_NAMES(sandbox_level, 3, "full", "best", "none")

enum class part_state : std::uint8_t { ok, degraded, missing };
KE_NAMES(part_state, 3, "ok", "degraded", "missing")

/// One line of `doctor` and of a verdict's provenance.
struct sandbox_part {
  std::string name; ///< user, pid, net, mount, ipc, uts, seccomp, uid, processes, memory, freezer, landlock
  part_state state = part_state::missing;
  std::string text;      ///< what is used, or what is lost and how to get it
  bool required = false; ///< `full` refuses without it
};

/// This machine's parts. Probed once, by starting real sandboxes (tens of milliseconds), then cached. Any
/// thread.
const std::vector<sandbox_part>& sandbox_probe();

/// Whether `sandboxed` works at this level here; `missing` names what is absent and how to get it.
status sandbox_ready(sandbox_level level);

/// A few words for provenance: "full", "best, without seccomp" or "none".
std::string sandbox_label(sandbox_level level);

/// Whether `sandboxed` at this level uses a launcher. Then our child is bwrap and the program is a
/// descendant: pass `skip_root` to freezer; a terminating signal arrives as exit code 128 + signal.
bool has_launcher(sandbox_level level);

/// Whether a sandbox that `nests` may give each of its own another user: we are root and have the
/// capabilities.
bool nested_users();

struct sandbox_spec {
  sandbox_level level = sandbox_level::full;
  /// (host path, path inside). With a dropped user, others must be able to read the host path and every
  /// folder above it. If not, a single file is copied in (keep it small), and a folder is `invalid`.
  std::vector<std::pair<std::string, std::string>> read_only;
  /// As read_only. Given to the outer user when root drops to one. Only the spec's `file_bytes` limits sizes
  /// here.
  std::vector<std::pair<std::string, std::string>> writable;
  /// Size of the tmpfs at `scratch`, which is HOME, TMPDIR and start directory; /dev/shm has as much.
  std::uint64_t scratch_bytes = 64ull << 20;
  std::string scratch = "/tmp/scratch"; ///< path inside
  bool network = false;                 ///< true: the host's network
  std::uint32_t processes = 64;         ///< processes and threads; 0: no limit
  std::uint64_t memory_bytes = 0;       ///< address space of each process; 0: `inner.memory_bytes`
  std::uint32_t descriptors = 1024;     ///< open at once in each process, whatever our own limit is
  std::vector<std::string> devices;     ///< device nodes to show, e.g. /dev/nvidia0; absent ones are skipped
  /// /proc may be written to, which NVIDIA's driver library needs (it names its threads there). Only for a program
  /// of ours that runs no foreign code on the host: through /proc one reaches its memory.
  bool writes_proc = false;
  /// The program is ours and makes sandboxes inside this one: it may make namespaces, as root also change
  /// users, and has neither filter nor limit on processes. Never for foreign code.
  bool nests = false;
};

/// Wraps a plain spec. `inner.argv[0]` and `inner.directory` are paths inside; with level none they are the
/// host's, and read_only, writable and scratch do not exist. `inner.env` is the whole environment, completed
/// by PATH, HOME, TMPDIR and LANG if absent; pass_fds, input, deadline and limits stay. Start the result at
/// most once. Fails: `missing` (names the absent part), `invalid` (names the path). Any thread; the first
/// call blocks for the probe.
result<process_spec> sandboxed(process_spec inner, const sandbox_spec& spec);

} // namespace ke
