#pragma once

#include "config/campaign_file.hpp"

namespace ke {

/// Checks beyond a single key: repeated names, keys that need each other, addresses, keys in the environment.
/// Appends to `load`'s lists.
void check_campaign(campaign_load& load, const file_context& context, campaign_use use);

} // namespace ke
