#pragma once

#include "runtime/llm/chat_api.hpp"

namespace ke {

/// `anthropic`: the Messages API. Stable sections of a prompt become `system` blocks, cached up to the last;
/// the rest is the user message. Input tokens that were written to the cache or read from it are told beside
/// the others, at prices of their own. The key goes as `x-api-key`. Requests are sent by http_provider.
extern const chat_api anthropic_api;

} // namespace ke
