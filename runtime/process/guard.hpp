#pragma once

#include <optional>

namespace ke {

/// Splits this process in two: the caller goes on in a child, the parent outlives it and leaves nothing
/// behind. Returns nothing in the child. In the parent it returns once the child and all its descendants are
/// gone, with the exit code to end with. A parent that cannot fork returns nothing, too: the work is then
/// unguarded.
///
/// Why: a SIGKILL leaves no time to clean up. A bwrap killed while it sets up its namespaces leaves a process
/// that waits for ever, beyond our signals (it sets PR_SET_PDEATHSIG later). Here, if the parent is killed,
/// the child gets SIGTERM and ends in order; if the child is killed, the parent, which adopts orphans,
/// sweeps.
///
/// Passes on a person's signals to the parent (INT, TERM, HUP); those of the terminal reach both. A child
/// ended by a signal ends the parent by the same one. Call before any thread exists.
std::optional<int> guard();

} // namespace ke
