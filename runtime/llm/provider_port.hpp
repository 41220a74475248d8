#pragma once

#include "runtime/core/provider_kind.hpp"
#include "runtime/llm/provider.hpp"

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>

namespace ke {

struct ask_request {
  /// Unique among all stores and stable over restarts: spool's file name. Letters, digits, '.', '_', '-'.
  std::string call;
  ke::prompt prompt;
  std::string prompt_digest;            ///< replay's key; empty: prompt_key
  std::uint32_t occurrence = 0;         ///< earlier asks of this prompt: replay's key
  std::string former_call = {};         ///< its name in an earlier version, if it may have been asked then
  std::chrono::milliseconds deadline{}; ///< zero: the model's timeout_s (spool: none)
};

struct raw_answer {
  std::uint64_t id = 0;
  std::string call;
  provider_kind provider = provider_kind::playbook; ///< how `body` is to be read
  failure why;       ///< transport or answer, = reply.why once decoded; none: reply.text is the answer
  long status = 0;   ///< HTTP, or the exit code of a command
  bool sent = false; ///< HTTP: the whole request had left
  std::string body;  ///< as it came, before any parsing
  completion reply;  ///< empty in the `record` hook
  double seconds = 0;
};

/// Gets every raw body before it is parsed and before `done`: the paid answer is on its way to the store,
/// whatever the parser does. Called on the provider's thread; must not block.
using answer_recorder = std::function<void(const raw_answer&)>;

/// One configured [[model]]. Functions do not block; any thread. Calls `done` exactly once, after `record`,
/// on a thread of the provider; a cancelled call ends with failure_kind::cancelled. Does not retry: the
/// caller does (runtime/llm/retry.hpp). Destruction cancels what is open; no callback runs after it.
class provider_port {
public:
  virtual ~provider_port() = default;
  virtual std::uint64_t ask(ask_request request, std::function<void(raw_answer)> done) = 0;
  virtual void cancel(std::uint64_t id) = 0;
};

} // namespace ke
