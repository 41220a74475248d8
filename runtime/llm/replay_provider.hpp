#pragma once

#include "runtime/core/model_settings.hpp"
#include "runtime/llm/providers.hpp"

#include <string>

namespace ke {

/// `replay`: answers of an earlier campaign, by the digest of the prompt and how often it was asked before; a
/// prompt without one fails with `not_found`. Each is read as the provider that gave it would. The look-up is
/// the services' or, if they have none, files of the model's `dir`; it runs on the provider's own thread.
made_provider make_replay_provider(const model_settings& model, provider_services& services);

/// The answers in a folder: files DIGEST.OCCURRENCE.answer.md, plain text.
replay_lookup recorded_in_folder(std::string dir);

} // namespace ke
