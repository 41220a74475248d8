#pragma once

#include "runtime/core/settings.hpp"
#include "runtime/core/types.hpp"
#include "runtime/llm/http_port.hpp"
#include "runtime/llm/prompt.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ke {

/// A model's answer, in one shape for all kinds of provider.
struct completion {
  /// None: `text` is whole. Else an LLM kind of product.md; `retryable`: the same prompt may be sent again.
  failure why;
  std::string text;  ///< also what came before a failure (a truncated answer may hold a whole code block)
  token_usage usage; ///< with usd at the model's prices
  bool estimated = false; ///< usage not told, or not all of it: the rest is bytes / 3.5
  token_usage told;       ///< of `usage`: told by the provider
  call_meter meter;       ///< for a campaign's better estimate (price.hpp)
  std::string finish;     ///< the provider's own word: stop, length, end_turn, refusal...
  std::optional<std::chrono::milliseconds> retry_after; ///< the provider's wish
};

/// The request that asks `model` for an answer to `p`. Only for `openai` and `anthropic`; `key` may be empty
/// (local servers). openai: one user message in the prompt's order. anthropic: stable sections become cached
/// `system` blocks, the rest the user message. Deadlines and size limit are the model's. Pure.
http_request encode(const model_settings& model, std::string_view key, const prompt& p);
/// Asks for the provider's models: free, and tells whether it is there and takes the key.
http_request encode_list_of_models(const model_settings& model, std::string_view key);

/// Reads and classifies a response, whole or cut. Reads streams and plain JSON of both kinds, whatever was
/// asked for; a body without sense is `malformed`. `unix_now` only turns a Retry-After date into a wait.
/// Pure; never throws.
completion decode(const model_settings& model, std::size_t prompt_bytes, const http_response& response,
                  std::int64_t unix_now);

/// An answer in plain text (command, spool, playbook): empty and non-UTF-8 texts are failures; usage is
/// estimated.
completion plain_completion(const model_settings& model, std::size_t prompt_bytes, std::string text);

/// Seconds or an HTTP date; nothing if it is neither. A date in the past is zero.
std::optional<std::chrono::milliseconds> parse_retry_after(std::string_view value, std::int64_t unix_now);

/// The failure for an HTTP status and a provider's error code and message; for tests, and for errors in a
/// stream (status 0).
failure classify_error(const std::string& model_name, long status, std::string_view code,
                       std::string_view message);

bool valid_utf8(std::string_view text);

} // namespace ke
