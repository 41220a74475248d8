#pragma once

#include "runtime/core/model_settings.hpp"

#include <string>

namespace ke::cli {

struct model_health {
  std::string state; ///< ok | degraded | missing | broken
  std::string text;
};

/// Whether a model could be asked now, at no cost. openai, anthropic: `GET base_url/models` with the key; a
/// command: whether the program exists; a folder: whether it can be used. Blocks for five seconds at most.
model_health check_model(const model_settings& m);

/// The same without asking a server: `ok` for openai and anthropic.
model_health check_local_model(const model_settings& m);

} // namespace ke::cli
