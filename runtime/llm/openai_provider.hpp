#pragma once

#include "runtime/llm/chat_api.hpp"

namespace ke {

/// `openai`: the Chat Completions API, which most servers speak, local ones included. The whole prompt is one
/// user message, in its order. Usage is asked for; cached input tokens are among the input tokens. The key
/// goes as a bearer token. Requests are sent by http_provider.
extern const chat_api openai_api;

} // namespace ke
