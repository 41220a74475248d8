#pragma once

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace ke::cli {

/// The error in the commands at a line's beginning ("bench searchh"), with the nearest right name. Nothing:
/// all are known, or the line begins with an option.
std::optional<std::string> unknown_command(const CLI::App& app, const std::vector<std::string>& words);

} // namespace ke::cli
