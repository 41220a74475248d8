#pragma once

#include "actors/messages/fleet_messages.hpp"
#include "actors/messages/messages.hpp"
#include "actors/supervision/directory.hpp"
#include "runtime/core/device_info.hpp"
#include "runtime/core/job_limits.hpp"

#include <map>
#include <string>

namespace ke {

class store_port;

struct evaluator_options {
  std::shared_ptr<directory> names;
  store_port* store = nullptr;
  std::string store_id;
  std::map<std::string, job_limits> limits; ///< by backend
  unsigned harness_tries = 3; ///< of a job whose evaluation failed through no fault of the candidate
};

/// Turns candidates into jobs and evidence into verdicts (the pure `verdict_of`; the worker's opinion does
/// not count).
///
///   <- evaluate_request   per target: a duplicate if a verdict under the same key is stored or on its way;
///                         else -> submit_job
///   <- job_done           verdict; -> judged, with the rows to commit and the worker's acknowledgement.
///                         Evidence of another candidate or problem is the worker's failure. A score far
///                         above all confirmed ones is measured once more, if possible by another worker
///                         with such a device; the lower one counts
///                         One that was noisy, or beside which the device's fixed kernels had left their band
///                         (drift_watch.hpp), goes back: -> measured_again, at most twice
///   <- job_stage          -> stage_changed
///   <- job_poisoned       -> evaluation_failed
///   <- cancel_evaluation  -> cancel_job
///   <- capacity           devices' facts are part of a verdict's key
///
/// Supervisor: root, permanent. After its restart campaigns ask again for their trees' nodes.
caf::behavior evaluator(caf::event_based_actor* self, evaluator_options options);

/// A job's id. A restart does not change it, so a worker's result finds the job. Another store, problem or
/// candidate gives another id.
std::uint64_t job_id(const std::string& store_id, const evaluate_request& r, std::uint32_t target);

} // namespace ke
