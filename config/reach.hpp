#pragma once

#include "runtime/core/settings.hpp"

#include <string>
#include <vector>

namespace ke {

/// A campaign's keys that reach into the machine of its owner: they start a program there, read or write a
/// folder, or send an environment variable's value. Each as "model.NAME.KEY". A submitter without the right
/// to name such things is refused by this list. Pure.
///
/// All else in a campaign stays within it: the problem comes with all files, the sandbox runs the candidates,
/// and `store`, [cluster] and [ui] of a submitted campaign are not used.
std::vector<std::string> keys_that_reach_out(const campaign_settings& settings);

} // namespace ke
