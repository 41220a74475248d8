#pragma once

#include <functional>
#include <string>

namespace ke::cli {

/// What CLI11's `check` takes: says what was expected if an option's text is wrong, else nothing. Its own
/// checks of numbers print bounds of 300 digits, and let nan and numbers that do not fit pass.
using option_check = std::function<std::string(const std::string&)>;

option_check node_id_check();

/// A number that this key of campaign.toml ("search.drafts") may have as well: one range for both.
option_check key_check(const std::string& key);

} // namespace ke::cli
