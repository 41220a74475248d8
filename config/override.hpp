#pragma once

#include "runtime/core/settings.hpp"
#include "runtime/toml/schema.hpp"

#include <string>

namespace ke {

/// Applies one --set argument, "a.b=v", to the document. An element of a list of tables is named by index or
/// by name ("model.0.weight", "model.main.weight"; a target by its backend). The value is TOML; a text that
/// is none, or is for a key of type string, is a string as it stands. Errors name "--set".
void apply_override(toml_node& document, const schema& s, const std::string& assignment,
                    std::vector<config_error>& errors);

/// The settings with one key changed, checked as a file is: `set KEY=VALUE` on a running campaign. `invalid`
/// with every reason.
result<campaign_settings> with_override(const campaign_settings& settings, const std::string& assignment);

} // namespace ke
