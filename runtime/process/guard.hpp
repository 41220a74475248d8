#pragma once

#include <optional>

namespace ke {

/// Splits this process in two: the caller goes on in a child, the parent outlives it and leaves nothing
/// behind. Returns nothing in the child; in the parent, once the child and all that came of it are gone, the
/// exit code to end with. A parent that cannot fork returns nothing as well: the work is then done unguarded.
///
/// Why: a SIGKILL leaves no time to clean up. bwrap, killed while it still sets up its namespaces, leaves a
/// process of these that waits without end and that no signal of ours reaches
/// (PR_SET_PDEATHSIG comes later in its life). Here the child is told by SIGTERM that its parent was killed
/// and ends in order; and if the child is killed, the parent, which adopts orphans, sweeps.
///
/// Signals that a person sends to the parent (INT, TERM, HUP) are passed on; those of the terminal reach both
/// by themselves. A child that a signal ended ends the parent by the same signal.
/// Call before any thread exists.
std::optional<int> guard();

} // namespace ke
