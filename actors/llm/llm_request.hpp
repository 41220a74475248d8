#pragma once

#include "actors/llm/call_book.hpp"
#include "actors/messages/messages.hpp"
#include "actors/supervision/directory.hpp"
#include "runtime/llm/provider_port.hpp"

namespace ke {

/// One paid call, from its leaving until the store has the answer.
///
///   -> call_ended (to the synthesizer's address: whichever lives when it ends), then it quits
///   <- exit       cancels the call; call_ended follows with `cancelled`
///
/// Supervisor: synthesizer, which monitors it; temporary. An abnormal end is told as `internal`. Provider and
/// call book own the call: it goes on without this actor and its synthesizer.
caf::behavior llm_request(caf::event_based_actor* self, std::shared_ptr<directory> names,
                          std::shared_ptr<call_book> calls, provider_port* provider,
                          std::shared_ptr<const synthesis_request> request);

} // namespace ke
