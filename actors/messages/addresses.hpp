#pragma once

#include "actors/supervision/address.hpp"

#include <cstdint>

// The named actors of a coordinator, and what may be sent to each by name (`directory::send`). The messages
// themselves are in messages.hpp, fleet_messages.hpp and, where one actor alone takes them, in its header. A
// worker's actors: worker_addresses.hpp.

namespace ke {

struct agent_call;
struct answer_heard;
struct answered;
struct call_ended;
struct cancel_evaluation;
struct cancel_job;
struct capacity;
struct summary_loaded;
struct drop_requests;
struct evaluate_request;
struct evaluation_failed;
struct expand;
struct failed_try;
struct frame_in;
struct given_answer;
struct interrupt;
struct job_done;
struct job_poisoned;
struct job_stage;
struct judged;
struct learn;
struct node_crashed;
struct peer_lost;
struct prompt_ready;
struct retire;
struct send_permit;
struct skills_changed;
struct skills_used;
struct measured_again;
struct stage_changed;
struct status_request;
struct steer;
struct study_wanted;
struct submit_job;
struct synthesis;
struct synthesize;
struct transport_is;
struct tree_started;
struct unblock_models;
struct vector_wanted;
struct want_context;
struct want_transport;
struct watch_capacity;
struct evaluations_wanted;
struct worker_said;
struct workers_request;

namespace addresses {

inline constexpr address<synthesize, call_ended, send_permit, drop_requests, unblock_models> synthesizer{
    "synthesizer"};

inline constexpr address<want_transport> gateway{"gateway"};

inline constexpr address<transport_is, frame_in, peer_lost, worker_said, submit_job, cancel_job,
                         evaluations_wanted, watch_capacity, workers_request>
    fleet{"fleet"};

inline constexpr address<> local_worker{"local_worker"};

inline constexpr address<evaluate_request, cancel_evaluation, job_done, job_stage, job_poisoned, capacity>
    evaluator{"evaluator"};

inline constexpr address<learn, skills_used, skills_changed, vector_wanted, study_wanted> knowledge{
    "knowledge"};

inline constexpr address<transport_is, frame_in, peer_lost> control{"control"};

using campaign_address = address<capacity, prompt_ready, agent_call, synthesis, failed_try, given_answer,
                                 answered, stage_changed, measured_again, judged, evaluation_failed,
                                 node_crashed, want_context, tree_started, steer, status_request, interrupt>;
constexpr campaign_address campaign(std::uint32_t id) {
  return campaign_address{"campaign", id};
}

using node_supervisor_address =
    address<expand, synthesis, failed_try, answer_heard, judged, evaluation_failed, summary_loaded, retire>;
/// Of tree `number` in a campaign; takes the messages for that tree's nodes.
constexpr node_supervisor_address node_supervisor(std::uint32_t campaign, std::uint32_t number) {
  return node_supervisor_address{"tree", campaign, number};
}

} // namespace addresses
} // namespace ke
