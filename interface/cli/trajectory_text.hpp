#pragma once

#include "interface/cli/campaign_view.hpp"
#include "runtime/core/settings.hpp"
#include "runtime/store/prompt_sections.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace ke::cli {

/// The model's words in a recorded reply: the content of a provider's envelope (a stream of events, a JSON
/// document), or the text itself. Empty if it can't be read. Pure.
std::string answer_of(const model_settings& model, const std::string& body);

/// An answer's prose before its first code block. Pure.
std::string rationale_of(std::string_view answer);

/// The sections of a node's prompt with their texts; empty if none was asked. `corrupt`: the store lacks one.
result<std::vector<stored_section>> sections_of(const campaign_view& campaign, const node_view& node);

/// From now on log::masked masks the API keys named by the settings: a model may have repeated one.
void know_secrets(const campaign_settings& settings);

} // namespace ke::cli
