#pragma once

#include "actors/messages/messages.hpp"

#include <string>

namespace ke {

/// The first device of the capacity that is in service and fits a target's pattern; null: none is attached.
/// Pure.
const device_info* device_of(const capacity& c, const std::string& pattern);

/// "waiting for nvidia-h200": text for people about a target without a device.
std::string waiting_text(const std::string& backend, const std::string& pattern);

/// The backend's slots, in proportion to the devices that fit one of the patterns; at least one if any does.
/// Pure.
std::uint32_t slots_for(const capacity& c, const std::vector<std::string>& patterns);

} // namespace ke
