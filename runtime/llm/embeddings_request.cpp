#include "runtime/llm/embeddings_request.hpp"

#include "runtime/llm/chat_api.hpp"
#include "runtime/llm/openai_provider.hpp"
#include "runtime/llm/provider_errors.hpp"

#include <utility>

namespace ke {

http_request encode_embeddings(const embedding_settings& server, std::string_view key, std::string body,
                               std::chrono::milliseconds within) {
  http_request request;
  request.url = endpoint(server.base_url, openai_api.server, "/embeddings");
  request.headers = {"Content-Type: application/json", "Accept: application/json"};
  for (auto& line : bearer(key))
    request.headers.push_back(std::move(line));
  request.body = std::move(body);
  request.connect = request.first_byte = request.stall = request.total = within;
  request.limit_bytes = 16u << 20;
  return request;
}

failure embeddings_failure(const embedding_settings& server, const http_response& response) {
  if (response.why.kind != failure_kind::none || (response.status >= 200 && response.status < 300))
    return response.why;
  return status_failure(server.model, response);
}

} // namespace ke
