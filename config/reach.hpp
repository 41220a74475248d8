#pragma once

#include "runtime/core/settings.hpp"

#include <string>
#include <vector>

namespace ke {

/// Keys of a campaign that reach into the machine of whoever runs it: that start a program there, read or
/// write a folder, or send what one of its environment variables holds. Each as "model.NAME.KEY"; empty if
/// there are none. A submitter without the right to name such things is refused by this list. Pure.
///
/// Everything else that a campaign names stays within it: its problem comes with all files that it needs, its
/// candidates are run in the sandbox, and `store`, [cluster] and [ui] of a submitted campaign are not used.
std::vector<std::string> keys_that_reach_out(const campaign_settings& settings);

} // namespace ke
