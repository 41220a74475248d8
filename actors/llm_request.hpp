#pragma once

#include "actors/messages.hpp"
#include "runtime/llm/provider_port.hpp"

namespace ke {

/// One paid call, from the moment it leaves until its answer is in the store's hands.
///
///   -> call_ended (to the synthesizer that spawned it), then it quits
///   <- exit       cancels the call; call_ended follows with `cancelled`
///
/// Supervisor: synthesizer, which monitors it; temporary. An abnormal end is told as `internal`, and the call
/// stays open in the store. The provider must outlive it (the synthesizer owns both).
caf::behavior llm_request(caf::event_based_actor* self, caf::actor synthesizer, provider_port* provider,
                          std::shared_ptr<const synthesis_request> request);

} // namespace ke
