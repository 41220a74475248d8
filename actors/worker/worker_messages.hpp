#pragma once

#include "actors/supervision/caf.hpp"
#include "backends/evaluation/evaluate.hpp"
#include "runtime/core/evidence.hpp"
#include "runtime/core/job.hpp"
#include "runtime/core/job_result.hpp"
#include "runtime/net/wire.hpp"
#include "runtime/process/process_port.hpp"

#include <chrono>
#include <memory>
#include <string>
#include <vector>

// Inside a worker:
//
//  link                builder           step           devices               device        step     profiler
//   | build_assignment ->|                |               |                     |            |           |
//   |                    |--- (spawn) --->|               |                     |            |           |
//   |                    |                |   [compiler]  |                     |            |           |
//   |                    |<---- ended ----|               |                     |            |           |
//   |< assignment_built -|                |               |                     |            |           |
//   |---------------- measure_assignment ---------------->| measure_assignment >|            |           |
//   |                    |                |               |                     |- (spawn) ->|           |
//   |                    |                |               |                     |            |  [judge]  |
//   |                    |                |               |                     |<-- ended --|           |
//   |                    |                |               |                     |- profile_assignment -->|
//   |                    |                |               |                     |<- assignment_profiled -|
//   |<---------------------------- assignment_done -----------------------------|            |           |
//
// step: an evaluation_step; ended: step_process_ended.

namespace ke {

/// One evaluation under way in this worker. One actor at a time drives `steps`; the message hands it on.
struct assignment {
  job what;
  std::string device;
  std::shared_ptr<evaluation> steps;
  std::chrono::steady_clock::time_point taken = std::chrono::steady_clock::now(), since = taken;
  std::vector<job_span> spans;

  /// What it did, or waited for, since the last span.
  void span(std::string name) {
    auto now = std::chrono::steady_clock::now();
    add(std::move(name), since, now);
    since = now;
  }
  /// One of the steps, "transform ir", from `begun` until now; steps may overlap.
  void ran(std::string name, std::chrono::steady_clock::time_point begun) {
    add(std::move(name), begun, std::chrono::steady_clock::now());
  }

private:
  void add(std::string name, std::chrono::steady_clock::time_point from,
           std::chrono::steady_clock::time_point to) {
    using std::chrono::duration_cast, std::chrono::microseconds;
    // Both ends are cut to whole microseconds, so that what lies inside of a span stays there.
    auto begin = duration_cast<microseconds>(from - taken).count();
    spans.push_back({std::move(name), static_cast<std::uint64_t>(begin),
                     static_cast<std::uint64_t>(duration_cast<microseconds>(to - taken).count() - begin)});
  }
};
using assignment_ptr = std::shared_ptr<assignment>;

struct build_assignment {
  assignment_ptr item;
};
struct assignment_built {
  assignment_ptr item;
};
struct measure_assignment {
  assignment_ptr item;
};
/// The remaining steps of a measured assignment (profiles, transforms, traces), beginning with `first`.
struct profile_assignment {
  assignment_ptr item;
  std::shared_ptr<started_step> first;
};
struct assignment_profiled {
  assignment_ptr item;
};
/// The machine's failure, or evidence.
struct assignment_done {
  assignment_ptr item;
  failure why;
  std::shared_ptr<evidence> found;
};
struct assignment_stage {
  std::uint64_t job = 0;
  wire::lease_stage stage = wire::lease_stage::queued;
};
struct cancel_assignment {
  std::uint64_t job = 0;
};
/// To `link`: an actor has ended, and with it the assignments in hand. `device` empty: those being built, or
/// all if `everything`.
struct assignments_lost {
  std::string device;
  std::string why;
  bool everything = false;
};
/// To oneself: begin, once the behaviour is installed.
struct begin_steps {};
struct child_exited {
  std::shared_ptr<process_exit> how;
};
struct device_state_changed {
  std::string device;
  std::string state; ///< ok | quarantined
  std::string reason;
};
/// Evaluations on this device fail through no fault of the candidates: is the machine fit?
struct suspect_device {
  std::string device;
  std::string reason;
};
/// The machine's lock: builders share it, a measurement has it alone.
struct want_lock {
  std::string who;
  bool alone = false;
};
struct lock_granted {
  std::string who;
};
struct release_lock {
  std::string who;
};

} // namespace ke

KE_MESSAGE(ke::build_assignment)
KE_MESSAGE(ke::assignment_built)
KE_MESSAGE(ke::measure_assignment)
KE_MESSAGE(ke::profile_assignment)
KE_MESSAGE(ke::assignment_profiled)
KE_MESSAGE(ke::assignment_done)
KE_MESSAGE(ke::assignment_stage)
KE_MESSAGE(ke::cancel_assignment)
KE_MESSAGE(ke::assignments_lost)
KE_MESSAGE(ke::begin_steps)
KE_MESSAGE(ke::child_exited)
KE_MESSAGE(ke::device_state_changed)
KE_MESSAGE(ke::suspect_device)
KE_MESSAGE(ke::want_lock)
KE_MESSAGE(ke::lock_granted)
KE_MESSAGE(ke::release_lock)
