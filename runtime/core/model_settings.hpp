#pragma once

#include "runtime/core/fields.hpp"
#include "runtime/core/provider_kind.hpp"

#include <cstdint>
#include <string>
#include <vector>

namespace ke {

/// A `[[model]]` of campaign.toml: who is asked, and what the asking may take.
struct model_settings {
  std::string name = "playbook";
  provider_kind provider = provider_kind::playbook;
  std::string model;
  std::string base_url;
  double timeout_s = 600; ///< the whole request
  std::string api_key_env;
  std::vector<std::string> command;
  std::string dir;
  double weight = 1.0;
  std::int64_t max_parallel = 8;
  double price_input = 0; ///< USD per million tokens
  double price_output = 0;
  std::int64_t max_tokens = 16384; ///< of one answer; bounds the reservation
  double connect_timeout_s = 10;
  double first_byte_timeout_s = 120;
  double stall_timeout_s = 60;
  std::int64_t max_answer_bytes = 4 << 20;
  std::int64_t context_tokens = 64'000; ///< prompt and answer together
};
KE_FIELDS(model_settings, x.name, x.provider, x.model, x.base_url, x.timeout_s, x.api_key_env, x.command,
          x.dir, x.weight, x.max_parallel, x.price_input, x.price_output, x.max_tokens, x.connect_timeout_s,
          x.first_byte_timeout_s, x.stall_timeout_s, x.max_answer_bytes, x.context_tokens)

/// A server that turns texts into vectors; without a model: none is asked.
struct embedding_settings {
  std::string base_url;
  std::string model;
  std::string api_key_env;
};
KE_FIELDS(embedding_settings, x.base_url, x.model, x.api_key_env)

} // namespace ke
