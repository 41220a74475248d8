#pragma once

#include "runtime/core/token_usage.hpp"
#include "runtime/llm/http_port.hpp"
#include "runtime/llm/prompt.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace ke {

struct model_settings;

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

/// The request that asks `model` for an answer to `p`, by its kind's chat API (openai_provider.hpp and so on;
/// a kind without one writes and reads as `openai` does). Pure. `key` may be empty (local servers). The four
/// deadlines and the size limit are the model's.
http_request encode(const model_settings& model, std::string_view key, const prompt& p);
/// Asks for the provider's models: free, and tells whether it is there and takes the key.
http_request encode_list_of_models(const model_settings& model, std::string_view key);

/// Reads what came back, whole or cut, and classifies it. Pure: `unix_now` only turns a Retry-After date into
/// a wait. Never throws; a body that makes no sense is `malformed`. Reads streams and plain JSON,
/// whatever was asked for.
completion decode(const model_settings& model, std::size_t prompt_bytes, const http_response& response,
                  std::int64_t unix_now);

/// An answer that is plain text (body_form::text): empty and non-UTF-8 texts are failures, usage is
/// estimated.
completion plain_completion(const model_settings& model, std::size_t prompt_bytes, std::string text);

/// To the letter: no overlong forms, no surrogates, nothing above U+10FFFF.
bool valid_utf8(std::string_view text);

} // namespace ke
