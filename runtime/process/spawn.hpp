#pragma once

#include "runtime/core/result.hpp"
#include "runtime/process/process_port.hpp"
#include "runtime/process/unique_fd.hpp"

#include <sys/types.h>

#include <chrono>
#include <optional>

// A fork copies the parent's page tables: 1 ms from a small process, over 200 ms from one with 4 GB. Here the
// child shares our memory until it execs (CLONE_VM|CLONE_VFORK), so a start costs the same from any parent;
// see docs/decisions/0002-own-spawner.md.

namespace ke {

/// A started child that is not reaped yet. Owns its descriptors, not the process: without `reap` it stays a
/// zombie. The pipes are our ends and do not block.
struct child {
  pid_t pid = -1;
  unique_fd pidfd; ///< readable when the child has ended
  unique_fd in;    ///< empty unless the spec has `input` or `keep_input_open`
  unique_fd out;
  unique_fd err;
};

/// How a child ended.
struct child_end {
  int code = -1;  ///< exit code, or -1
  int signal = 0; ///< terminating signal, or 0
  double cpu_seconds = 0;
};

/// Starts the child of `spec`; returns when it has become the new program, in about a millisecond. Any
/// thread, but the child dies with this *thread* (PR_SET_PDEATHSIG): start long-lived children from
/// long-lived threads. Neither writes `input` nor watches the deadline: process_service does. Fails:
/// `missing` (no such program, or no interpreter for it), `invalid` (directory, descriptors, empty argv),
/// `internal`.
result<child> spawn(const process_spec& spec);

/// Collects the child if it ends within `wait`. Any thread; a child is reaped once.
std::optional<child_end> reap(child& c, std::chrono::nanoseconds wait = {});

/// SIGKILL to the group, then waits for the child and removes descendants that left the group or session.
/// Blocks until all are gone, at most two seconds each (the kernel may hold a process). Any thread. Makes
/// this process adopt orphans.
child_end kill_tree(child& c);

/// Whether a spec without PATH would find this program: by our PATH, or by its path.
bool on_own_path(const std::string& program);

/// Makes this process the parent of orphaned descendants (PR_SET_CHILD_SUBREAPER): what a dead child leaves
/// behind comes to us, not to init, where it could not be found. Idempotent; any thread.
void adopt_orphans();

/// Kills and collects what dead children left behind: children of ours not started by `spawn`, in another
/// session than ours (library code's children live in ours and are never touched). Living children reap their
/// own orphans, so these come from dead ones. Returns how many it found; they may leave orphans of their own,
/// so call again until 0. Any thread.
std::size_t sweep_orphans();

/// The same until none is left, two seconds at most. Any thread.
void sweep_all_orphans();

} // namespace ke
