#pragma once

#include <functional>
#include <string>

namespace ke::cli {

/// For CLI11's `check`: says what was expected of a wrong text, else nothing. CLI11's own checks of numbers
/// print bounds of 300 digits, and accept nan and numbers that do not fit.
using option_check = std::function<std::string(const std::string&)>;

option_check node_id_check();

/// A number in the range of this key of campaign.toml ("search.drafts"): one range for both.
option_check key_check(const std::string& key);

} // namespace ke::cli
