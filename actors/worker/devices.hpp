#pragma once

#include "actors/supervision/directory.hpp"
#include "actors/supervision/restart.hpp"
#include "actors/worker/worker_messages.hpp"
#include "runtime/core/device_info.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ke {

struct devices_options {
  std::shared_ptr<directory> names;
  process_port* processes = nullptr;
  std::vector<device_info> devices;
  restart_policy restarts{.intensity = 3, .floor = std::chrono::milliseconds{200}};
  std::chrono::nanoseconds probe_again = std::chrono::minutes{5}; ///< of a quarantined device
  /// After a failed self-test; doubles with each one, up to `probe_again`.
  std::chrono::nanoseconds test_again = std::chrono::seconds{10};
  /// Makes the self-test of a device (self_test.hpp); absent: no device is ever suspected.
  std::function<std::shared_ptr<evaluation>(const device_info&)> self_test;
};

/// Supervises the devices, one for one, and keeps the machine's lock (machine_lock.hpp). The only supervisor
/// that does not escalate. A device that fails too often is quarantined, reported, and tried again after a
/// long while; the worker lives on. A device whose evaluations fail through no fault of the candidates is out
/// of service until a self-test succeeds; failed tests are repeated later and later.
///
///   <- measure_assignment        to the device of that name
///   <- cancel_assignment         to all
///   <- suspect_device            from `link`
///   <- want_lock, release_lock   -> lock_granted to builder or device
///   -> device_state_changed      to `link`
///   -> assignments_lost          to `link`, when a device's actor has ended
///
/// Supervisor: the worker's root, permanent.
caf::behavior devices(caf::event_based_actor* self, devices_options options);

/// One device. Takes one assignment at a time, alone on the machine: an evaluation_step for the measurement
/// (the judge: correctness and timing in one), then the profiler under the same lease.
///
///   <- measure_assignment, cancel_assignment, lock_granted, step_process_ended, assignment_profiled
///   -> want_lock, release_lock             to devices
///   -> assignment_stage, assignment_done   to `link`
///
/// Supervisor: devices; permanent. Its end fails the assignment in hand.
caf::behavior device(caf::event_based_actor* self, device_info what, caf::actor parent,
                     std::shared_ptr<directory> names, process_port* processes);

/// Runs the remaining steps of a measured assignment, one evaluation_step after the other: tools that look at
/// the built object, or at runs of their own.
///
///   <- profile_assignment   -> assignment_profiled   to its device
///   <- cancel_assignment    of its device: nothing is reported
///
/// Supervisor: device; permanent. A tool that fails leaves the evidence as it was.
caf::behavior profiler(caf::event_based_actor* self, caf::actor device, process_port* processes);

} // namespace ke
