#pragma once

#include <string>
#include <string_view>

namespace ke {

/// Devices of one kind in one machine are announced as "nvidia-h200", "nvidia-h200#2", ... A target names the kind, and
/// verdicts do: on which of them a candidate ran is the machine's affair. The kind of an announced name. Pure.
std::string kind_of_device(std::string_view name);

/// The announced name of the `count`th device of a kind in a machine, from 1.
std::string device_name(std::string_view kind, std::size_t count);

/// Whether `[[target]] device` (a pattern of the shell's kind) means this announced device: by its kind or its name. Pure.
bool names_device(const std::string& pattern, const std::string& name);

} // namespace ke
