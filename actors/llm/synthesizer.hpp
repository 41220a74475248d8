#pragma once

#include "actors/llm/call_book.hpp"
#include "actors/llm/provider_pool.hpp"
#include "actors/messages/messages.hpp"
#include "actors/supervision/directory.hpp"
#include "runtime/core/model_settings.hpp"
#include "runtime/llm/circuit.hpp"
#include "runtime/llm/provider_port.hpp"
#include "runtime/llm/retry.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

namespace ke {

struct synthesizer_options {
  std::function<std::optional<model_settings>(std::uint32_t campaign, const std::string& model)> find;
  std::shared_ptr<provider_pool> providers; ///< of all models; outlives this actor and its restarts
  std::shared_ptr<call_book> calls;         ///< what is out, over restarts
  std::shared_ptr<directory> names;
  std::uint64_t seed = 1; ///< of the jitter
  retry_policy retries;
  circuit_policy circuits;
};

/// Asks the models: a queue, a concurrency limit and a circuit breaker per model, one llm_request per call.
/// Requests come committed.
///
///   <- synthesize            queue it; it leaves when the model's circuit and `max_parallel` allow
///   <- call_ended            from a provider, by name: done, or sent again after a wait, or given up
///   <- send_permit           a failed try's cost is committed: it may be sent again
///   <- drop_requests, unblock_models
///   -> synthesis, failed_try to the tree's node_supervisor, or to the request's `reader`, by name
///
/// Supervisor: root, permanent, first child: whatever crashes later costs no paid call. Nor does its own
/// crash: the next synthesizer takes open calls over from the call book; campaigns, which restart with it,
/// ask again for what had not left.
caf::behavior synthesizer(caf::event_based_actor* self, synthesizer_options options);

} // namespace ke
