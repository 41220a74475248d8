#pragma once

#include "actors/messages/call_messages.hpp"
#include "actors/messages/evaluation_messages.hpp"
#include "actors/messages/node_messages.hpp"
#include "actors/supervision/caf.hpp"
#include "runtime/core/result.hpp"

#include <functional>
#include <string>

// Messages between actors of one process. Results for nodes go to (campaign, tree, node) through the
// node_supervisor, never to a handle: the node may have passivated or crashed meanwhile. The life of one
// candidate:
//
//   campaign        node_supervisor      search_node      synthesizer     llm_request      evaluator
//      |    expand       |                |                |               |               |
//      |---------------->|    (spawn)     |                |               |               |
//      |                 |--------------->|                |               |               |
//      |             prompt_ready         |                |               |               |
//      |<---------------------------------|                |               |               |
//      | [reserve, commit the intent]     |                |               |               |
//      |------------------- synthesize ------------------->|    (spawn)    |               |
//      |                 |                |                |-------------->| [store answer]|
//      |                 |             synthesis           |  call_ended   |               |
//      |                 |<--------------------------------|<--------------|               |
//      |                 |-- synthesis -->|                                                |
//      |              answered            |               evaluate_request                 |
//      |<---------------------------------|----------------------------------------------->|
//      | [an answer that may repeat a candidate: evaluate_request waits for answer_heard]  |
//      |<------------------------------------ judged --------------------------------------|
//      | [commit the verdict, then acknowledge the worker and tell people]                 |
//      |---- judged ---->|--- judged ---->|                                                |
//      |                 |     retire     |                                                |
//      |                 |<---------------|                                                |
//
// call_messages.hpp, node_messages.hpp and evaluation_messages.hpp hold the structs and know no CAF, because
// plain classes use them, too. Here they become messages.

namespace ke {

/// pause | resume | stop | set | hint; `done` hears the outcome as text.
struct steer {
  std::string act, key, value;
  std::function<void(status)> done;
};

} // namespace ke

KE_MESSAGE(ke::agent_call)
KE_MESSAGE(ke::agent_answer)
KE_MESSAGE(ke::expand)
KE_MESSAGE(ke::want_context)
KE_MESSAGE(ke::tree_started)
KE_MESSAGE(ke::prompt_ready)
KE_MESSAGE(ke::synthesize)
KE_MESSAGE(ke::call_ended)
KE_MESSAGE(ke::synthesis)
KE_MESSAGE(ke::failed_try)
KE_MESSAGE(ke::send_permit)
KE_MESSAGE(ke::drop_requests)
KE_MESSAGE(ke::unblock_models)
KE_MESSAGE(ke::answered)
KE_MESSAGE(ke::answer_heard)
KE_MESSAGE(ke::given_answer)
KE_MESSAGE(ke::evaluate_request)
KE_MESSAGE(ke::cancel_evaluation)
KE_MESSAGE(ke::measured_again)
KE_MESSAGE(ke::stage_changed)
KE_MESSAGE(ke::judged)
KE_MESSAGE(ke::node_crashed)
KE_MESSAGE(ke::evaluation_failed)
KE_MESSAGE(ke::summary_loaded)
KE_MESSAGE(ke::may_rest)
KE_MESSAGE(ke::retire)
KE_MESSAGE(ke::capacity)
KE_MESSAGE(ke::steer)
