#pragma once

#include "runtime/core/result.hpp"
#include "runtime/core/settings.hpp"
#include "runtime/llm/provider_port.hpp"
#include "runtime/process/process_port.hpp"

#include <memory>
#include <optional>
#include <string>

namespace ke {

/// A recorded answer of an earlier campaign, in `provider`'s form.
struct recorded_answer {
  provider_kind provider = provider_kind::spool;
  std::string body;
};
/// nullopt: nothing recorded under this key. Called on the replay provider's thread: may read a disk.
using replay_lookup =
    std::function<std::optional<recorded_answer>(const std::string& prompt_digest, std::uint32_t occurrence)>;

/// Services of the adapters; the ports must outlive the providers.
struct provider_services {
  http_port* http = nullptr;       ///< openai, anthropic
  process_port* process = nullptr; ///< command
  replay_lookup replay;            ///< replay; absent: files DIGEST.OCCURRENCE.answer.md in the model's `dir`
  answer_recorder record;          ///< may be empty
};

/// The provider of one [[model]]. Reads the key from the environment, once, and masks it in the log.
/// `missing`: the key's variable is not set; `invalid`: the settings lack what the kind needs (text names the
/// key of campaign.toml).
result<std::unique_ptr<provider_port>> make_provider(const model_settings& model, provider_services services);

} // namespace ke
