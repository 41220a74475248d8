#pragma once

#include "actors/worker/worker_messages.hpp"
#include "runtime/core/device_info.hpp"
#include "runtime/core/evidence.hpp"

#include <memory>
#include <string>

namespace ke {

/// A whole evaluation of a kernel known to be correct: the compilers, sandbox and judge of any candidate,
/// untimed, without the cache. What it fails at, every candidate would fail at.
std::shared_ptr<evaluation> self_test_of(const backend& with, const device_info& target,
                                         evaluate_options options);

/// The machine's defect in one sentence; empty: none.
std::string complaint_of(const result<evidence>& found);

struct self_tested {
  std::string device;
  std::string complaint; ///< empty: fit
};

/// Drives one self-test.
///   -> self_tested   to its parent, then it quits
/// Supervisor: devices; temporary.
caf::behavior self_test(caf::event_based_actor* self, caf::actor parent, process_port* processes,
                        std::string device, std::shared_ptr<evaluation> steps);

} // namespace ke

KE_MESSAGE(ke::self_tested)
