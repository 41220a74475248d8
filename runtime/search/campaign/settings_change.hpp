#pragma once

#include "runtime/core/result.hpp"
#include "runtime/core/settings.hpp"

namespace ke {

/// When a campaign's settings change: while it runs (`set`), or between two sessions.
enum class change_time { running, resumed };

/// Whether a campaign begun with `now` can go on with `then`. What earlier verdicts and the tree rest on
/// never changes; what is read once at the start does not change while it runs. `invalid`, with what to do
/// instead. Pure.
status can_change(const campaign_settings& now, const campaign_settings& then, change_time when);

} // namespace ke
