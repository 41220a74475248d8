#pragma once

#include "actors/supervision/address.hpp"

// The named actors of a worker, and what may be sent to each by name. The messages are in
// worker/worker_messages.hpp and worker/link.hpp.

namespace ke {

struct build_assignment;
struct cancel_assignment;
struct device_state_changed;
struct drain_worker;
struct lock_granted;
struct measure_assignment;
struct release_lock;
struct suspect_device;
struct want_lock;
struct assignment_built;
struct assignment_done;
struct assignment_stage;
struct assignments_lost;

namespace addresses {

inline constexpr address<assignment_stage, assignment_built, assignment_done, assignments_lost,
                         device_state_changed, drain_worker>
    link{"link"};

inline constexpr address<build_assignment, cancel_assignment, lock_granted> builder{"builder"};

inline constexpr address<measure_assignment, cancel_assignment, want_lock, release_lock, suspect_device>
    devices{"devices"};

} // namespace addresses
} // namespace ke
