#pragma once

#include "actors/messages.hpp"

#include <string>

namespace ke {

/// The first device of the capacity that is in service and that the pattern of a target fits; null: none is
/// attached. Pure.
const device_info* device_of(const capacity& c, const std::string& pattern);

/// "waiting for nvidia-h200": what people read of a target that no device fits.
std::string waiting_text(const std::string& backend, const std::string& pattern);

/// Slots of the devices that one of the patterns fits, of all slots of the backend; at least one of them if
/// there is any such device. Pure.
std::uint32_t slots_for(const capacity& c, const std::vector<std::string>& patterns);

} // namespace ke
