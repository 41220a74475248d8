#pragma once

#include "actors/directory.hpp"
#include "actors/fleet_messages.hpp"
#include "actors/messages.hpp"

#include <map>
#include <string>

namespace ke {

struct evaluator_options {
  std::shared_ptr<directory> names;
  store_port* store = nullptr;
  std::string store_id;
  std::map<std::string, job_limits> limits; ///< by backend
  unsigned harness_tries = 3; ///< of a job whose evaluation failed for reasons that are not the candidate's
};

/// Turns candidates into jobs and evidence into verdicts (the pure `verdict_of`; the worker's own opinion
/// does not count).
///
///   <- evaluate_request   per target: a verdict under the same key is in the store, or on its way: a
///   duplicate; else -> submit_job
///   <- job_done           verdict; -> judged with the rows to commit and the worker's acknowledgement.
///                         Evidence of another candidate or problem than the job's is the worker's failure. A
///                         score far above all that were confirmed so far is measured once more, by another
///                         worker with such a device if there is one, and the lower of the two counts
///   <- job_stage          -> stage_changed
///   <- job_poisoned       -> evaluation_failed
///   <- cancel_evaluation  -> cancel_job
///   <- capacity           devices' facts are part of a verdict's key
///
/// Supervisor: root, permanent. After its restart the search trees' nodes are asked for again by their
/// campaign.
caf::behavior evaluator(caf::event_based_actor* self, evaluator_options options);

/// The key of `verdicts`: equal for what must get the same verdict. Pure.
std::string verdict_key(const std::string& problem_digest, const std::string& normalised_digest,
                        const device_info& device, measure_plan plan, bool timed);

/// A job's id: the same before and after a restart, so that a worker's result finds its job, and another one
/// in another store, for another problem or another candidate.
std::uint64_t job_id(const std::string& store_id, const evaluate_request& r, std::uint32_t target);

} // namespace ke
