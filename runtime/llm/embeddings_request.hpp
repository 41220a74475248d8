#pragma once

#include "runtime/core/model_settings.hpp"
#include "runtime/llm/http_port.hpp"

#include <chrono>
#include <string>
#include <string_view>

namespace ke {

// The wire of an embeddings server; the bodies belong to knowledge/library/embeddings.hpp.

/// The request with `body` to `/v1/embeddings` below the server's base_url. `within`: each of the four
/// deadlines. Pure.
http_request encode_embeddings(const embedding_settings& server, std::string_view key, std::string body,
                               std::chrono::milliseconds within);

/// Why there are no vectors: the transport's failure, or status and message; none at a 2xx. Pure.
failure embeddings_failure(const embedding_settings& server, const http_response& response);

} // namespace ke
