#pragma once

#include "runtime/core/model_settings.hpp"
#include "runtime/llm/http_port.hpp"
#include "runtime/llm/open_calls.hpp"
#include "runtime/llm/provider_port.hpp"

#include <string>

namespace ke {

/// `openai` and `anthropic`: encode, send, record, decode. `done` runs on the http thread; do not destroy the
/// provider there.
class http_provider : public provider_port {
public:
  http_provider(http_port& http, model_settings model, std::string key, answer_recorder record);
  ~http_provider() override;

  std::uint64_t ask(ask_request request, std::function<void(raw_answer)> done) override;
  void cancel(std::uint64_t id) override;

private:
  http_port& http_;
  model_settings model_;
  std::string key_;
  answer_recorder record_;
  open_calls open_;
};

} // namespace ke
