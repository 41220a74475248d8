#pragma once

#include "runtime/core/settings.hpp"

#include <string>

namespace ke::cli {

struct model_health {
  std::string state; ///< ok | degraded | missing | broken
  std::string text;
};

/// Whether a model could be asked now, without asking it for anything that costs: openai and anthropic get
/// `GET base_url/models` with the key, of a command the program is looked up, of a folder whether it can be
/// used. Blocking, five seconds at most.
model_health check_model(const model_settings& m);

/// The same without asking a server: `ok` for openai and anthropic.
model_health check_local_model(const model_settings& m);

} // namespace ke::cli
