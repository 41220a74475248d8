#pragma once

#include "runtime/core/model_settings.hpp"
#include "runtime/core/result.hpp"
#include "runtime/llm/provider_port.hpp"
#include "runtime/process/process_port.hpp"

#include <cstdint>
#include <functional>
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

using made_provider = result<std::unique_ptr<provider_port>>;

/// What the adapters stand on; the ports must outlive the providers.
struct provider_services {
  http_port* http = nullptr;       ///< for kinds that are asked over HTTP
  process_port* process = nullptr; ///< for `command`
  replay_lookup replay;   ///< for `replay`; absent: files DIGEST.OCCURRENCE.answer.md in the model's `dir`
  answer_recorder record; ///< may be empty
};

/// The provider of one [[model]], by its kind's file pair. The key is read from the environment here, once,
/// and masked in the log. `missing`: the key's variable is not set; `invalid`: the settings lack what the
/// kind needs (text names the key of campaign.toml).
made_provider make_provider(const model_settings& model, provider_services services);

} // namespace ke
