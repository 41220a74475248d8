#pragma once

#include "actors/supervision/address.hpp"
#include "runtime/core/node_key.hpp"
#include "runtime/core/result.hpp"
#include "runtime/core/token_usage.hpp"
#include "runtime/llm/prompt.hpp"
#include "runtime/llm/provider.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>

// Calls to models, for nodes and for sub-agents. Plain structs: messages.hpp makes messages of them.

namespace ke {

struct synthesis;
struct failed_try;
struct journal_retrieved;

/// A prompt on its way to a model.
struct synthesis_request {
  node_key node;
  std::uint32_t attempt = 0;
  std::string model;
  ke::prompt prompt;
  std::string prompt_digest;
  std::uint32_t occurrence = 0;
  reservation reserved;
  std::optional<address<synthesis, failed_try>> reader =
      {};                 ///< who gets the outcome; empty: the tree's node_supervisor
  std::string store = {}; ///< its id
  bool again = false;     ///< of an earlier session: perhaps asked under `place`, as earlier versions did
  /// How the documents of a node's prompt were chosen; null once it is journalled, and for sub-agents.
  std::shared_ptr<const journal_retrieved> documents = {};

  std::string place() const {
    return "c" + std::to_string(node.campaign) + "-t" + std::to_string(node.tree) + "-n" +
           std::to_string(node.node) + "-a" + std::to_string(attempt);
  }
  /// Unique among all stores and stable over restarts: spool's file name. Places repeat in every store, so
  /// the name also says which store asks, and what.
  std::string call() const {
    constexpr std::size_t enough = 8;
    return (store.empty() ? "" : store.substr(0, enough) + "-") + place() +
           (prompt_digest.empty() ? "" : "-" + prompt_digest.substr(0, enough));
  }
};

/// What a sub-agent hears of its call.
struct agent_answer {
  std::shared_ptr<const completion> reply; ///< null with `why`
  failure why;                             ///< refused (no budget, no new work) or failed for good
};
/// A sub-agent's next call, for the prompt of `node`. The campaign reserves the worst case, journals it and
/// has it asked, or refuses.
struct agent_call {
  node_key node;
  std::string agent; ///< memory | research
  std::string model;
  ke::prompt prompt;
  std::function<void(agent_answer)> reply; ///< once, unless the campaign ends; any thread, must not block
};

struct synthesize {
  std::shared_ptr<const synthesis_request> request;
};
struct call_ended {
  std::string call;
  std::shared_ptr<const completion> reply;
  std::string reply_digest;
  double seconds = 0;
  std::shared_ptr<const synthesis_request> what;
};
struct synthesis {
  node_key node;
  std::uint32_t attempt = 0;
  std::shared_ptr<const completion> reply;
  std::string reply_digest;
  double seconds = 0;
};
/// One send of a request failed; it waits for `send_permit` before the next. `blocked`: no next one, because
/// a person must act (auth, credit), it was cancelled, or (kind none) the last send never happened.
struct failed_try {
  node_key node;
  std::uint32_t attempt = 0;
  failure why;
  bool blocked = false;
  token_usage told; ///< cost, as far as the provider told,
  call_meter meter; ///< and sizes for the rest
};
/// The try's cost is committed. `go`: the budget holds another try; else the request is forgotten.
struct send_permit {
  std::string call;
  bool go = true;
};
/// A campaign is stopping or paused: drops requests that have not left; `running`: cancels the others.
struct drop_requests {
  std::uint32_t campaign = 0;
  bool running = false;
};
/// A person says go on: circuits closed by auth or credit are tried again.
struct unblock_models {};

} // namespace ke
