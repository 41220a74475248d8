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
  std::uint64_t epoch = 0;
  std::map<std::string, job_limits> limits; ///< by backend
  unsigned harness_tries = 3; ///< of a job whose evaluation failed for reasons that are not the candidate's
};

/// Turns candidates into jobs and evidence into verdicts (the pure `verdict_of`; the worker's own opinion
/// does not count).
///
///   <- evaluate_request   per target: a verdict under the same key is in the store, or on its way: a
///   duplicate; else -> submit_job
///   <- job_done           verdict; -> judged with the rows to commit and the worker's acknowledgement
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

/// A job's id: the same before and after a restart, so that a worker's result finds its job.
std::uint64_t job_id(const node_key& node, std::uint32_t target, measure_plan plan = measure_plan::rank);

} // namespace ke
