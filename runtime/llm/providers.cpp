#include "runtime/llm/providers.hpp"

#include "runtime/llm/http_provider.hpp"
#include "runtime/llm/provider_adapter.hpp"
#include "runtime/observe/log.hpp"

#include <array>
#include <cstdlib>
#include <utility>

namespace ke {

const provider_adapter& adapter_of(provider_kind kind) {
#define KE_PROVIDER_ADAPTER(kind, ...) &kind##_adapter,
  static constexpr std::array adapters{KE_PROVIDER_KINDS(KE_PROVIDER_ADAPTER)};
#undef KE_PROVIDER_ADAPTER
  return *adapters[static_cast<std::size_t>(kind)];
}

made_provider make_provider(const model_settings& model, provider_services services) {
  return adapter_of(model.provider).make(model, services);
}

made_provider make_http_provider(const model_settings& model, provider_services& services) {
  if (!services.http)
    return failure{failure_kind::internal, "no HTTP service for model " + model.name, false};
  if (model.model.empty())
    return invalid_model(model, "`model` must name the provider's model");
  std::string key;
  if (!model.api_key_env.empty()) {
    key = log::masked_key(model.api_key_env);
    if (key.empty())
      return failure{failure_kind::missing,
                     "[[model]] " + model.name + ": the environment variable " + model.api_key_env +
                         " (api_key_env) is not set: export it before the start",
                     false};
    if (key.find_first_of("\r\n") != std::string::npos)
      return invalid_model(model, "the key in " + model.api_key_env + " holds a line end");
  }
  return made_provider{
      std::make_unique<http_provider>(*services.http, model, std::move(key), std::move(services.record))};
}

failure invalid_model(const model_settings& model, const std::string& what) {
  return {failure_kind::invalid, "[[model]] " + model.name + ": " + what, false};
}

} // namespace ke
