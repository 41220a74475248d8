#pragma once

#include "runtime/core/model_settings.hpp"
#include "runtime/llm/providers.hpp"

namespace ke {

/// `playbook`: the embedded optimizer (playbook/playbook.hpp) as a model, on a thread of its own. It reads
/// the `ke-task` block of the prompt; no tokens are counted, and a call takes milliseconds and costs nothing.
made_provider make_playbook_provider(const model_settings& model, provider_services& services);

} // namespace ke
