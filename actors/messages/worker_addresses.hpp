#pragma once

#include "actors/supervision/address.hpp"

// The named actors of a worker, and what may be sent to each by name. The messages are in
// worker/worker_messages.hpp and worker/link.hpp.

namespace ke {

struct build_work;
struct cancel_work;
struct device_state_changed;
struct drain_worker;
struct lock_granted;
struct measure_work;
struct release_lock;
struct suspect_device;
struct want_lock;
struct work_built;
struct work_done;
struct work_stage;
struct works_lost;

namespace addresses {

inline constexpr address<work_stage, work_built, work_done, works_lost, device_state_changed, drain_worker>
    link{"link"};

inline constexpr address<build_work, cancel_work, lock_granted> builder{"builder"};

inline constexpr address<measure_work, cancel_work, want_lock, release_lock, suspect_device> devices{
    "devices"};

} // namespace addresses
} // namespace ke
