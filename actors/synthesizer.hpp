#pragma once

#include "actors/directory.hpp"
#include "actors/messages.hpp"
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
  /// Makes the provider of a model, at its first request.
  std::function<result<std::unique_ptr<provider_port>>(const model_settings&)> connect;
  std::shared_ptr<directory> names;
  std::uint64_t seed = 1; ///< of the jitter
  retry_policy retries;
  circuit_policy circuits;
};

/// Name of a search tree in the directory.
std::string tree_name(std::uint32_t campaign, std::uint32_t tree);
std::string campaign_name(std::uint32_t campaign);

/// Asks the models: a queue, a concurrency limit and a circuit breaker per model, one llm_request per call.
/// Requests come committed.
///
///   <- synthesize      queue it; it leaves when the model's circuit and `max_parallel` allow
///   <- call_ended      from an llm_request: done, or sent again after a wait, or given up
///   <- drop_requests, unblock_models
///   -> synthesis, failed_try   to the node's search tree, by name
///
/// Supervisor: root, permanent, first child: whatever crashes later costs no paid call. After its own restart
/// the trees ask again.
caf::behavior synthesizer(caf::event_based_actor* self, synthesizer_options options);

} // namespace ke
