#pragma once

#include "runtime/core/model_settings.hpp"
#include "runtime/llm/chat_api.hpp"
#include "runtime/llm/providers.hpp"

#include <string>

namespace ke {

/// What the file pair of a kind of provider gives to the rest of this room, beside its traits
/// (runtime/core/provider_kind.hpp). Constants, to be used on any thread.
struct provider_adapter {
  /// As make_provider, for a model of this kind; moves what it needs out of the services.
  made_provider (*make)(const model_settings& model, provider_services& services);
  /// How it talks, if it speaks a chat API over HTTP (body_form::message). Null: the prompt goes out as
  /// text_of(prompt), and what comes back is the answer (plain_completion).
  const chat_api* api = nullptr;
};

// One of each kind of the table, defined in its KIND_provider.cpp as KIND_adapter.
#define KE_PROVIDER_ADAPTER(kind, ...) extern const provider_adapter kind##_adapter;
KE_PROVIDER_KINDS(KE_PROVIDER_ADAPTER)
#undef KE_PROVIDER_ADAPTER

/// `kind` is one of the table.
const provider_adapter& adapter_of(provider_kind kind);

/// For adapters of chat APIs: an http_provider with the key that the environment holds.
made_provider make_http_provider(const model_settings& model, provider_services& services);

/// For adapters: what is wrong with the settings of a [[model]].
failure invalid_model(const model_settings& model, const std::string& what);

} // namespace ke
