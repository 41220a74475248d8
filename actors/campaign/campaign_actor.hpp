#pragma once

#include "actors/campaign/campaign_options.hpp"
#include "actors/messages/messages.hpp"
#include "actors/supervision/directory.hpp"
#include "runtime/search/campaign/campaign_status.hpp"

#include <functional>
#include <string>

namespace ke {

/// Asks for a campaign's live state; `done` gets JSON text (one element of `status --json`'s campaigns,
/// without workers).
struct status_request {
  std::function<void(std::string)> done;
};
/// Ctrl-C: no new work; ends the session resumably within the grace. The second time: at once.
struct interrupt {};

/// Decides and records: owns the fold (index, budget, stop rule) and the journal. Each input is folded and
/// journalled in one order, so that a restart and `replay` get the same state. Its phases, from loading to
/// ended, are drawn in runtime/search/campaign/campaign_phase.hpp; campaign_router.hpp says which part takes
/// which message.
///
///   <- capacity                      slots of its backends
///   -> expand                        to its node_supervisors
///   <- prompt_ready                  reserve; commit the intent; -> synthesize
///   <- agent_call                    the same for a sub-agent, or refuse; <- synthesis; -> agent_answer
///   <- answered, failed_try          journal; spend
///   <- judged, evaluation_failed, stage_changed, measured_again, node_crashed, want_context
///   -> evaluate_request              of the reference (node 0), for the admission, and of finalists, for
///                                    claims; <- judged, evaluation_failed
///   <- steer, status_request, interrupt
///
/// Supervisor: the campaign's own (rest_for_one: campaign, node_supervisors), permanent there; that one is
/// transient under root.
caf::behavior campaign(caf::event_based_actor* self, campaign_options options);

} // namespace ke

KE_MESSAGE(ke::status_request)
KE_MESSAGE(ke::interrupt)
