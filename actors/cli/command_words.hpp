#pragma once

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace ke::cli {

/// What is wrong with the commands that a line begins with ("bench searchh"), with the nearest right name.
/// Nothing: they are known as far as they go, or the line begins with an option.
std::optional<std::string> unknown_command(const CLI::App& app, const std::vector<std::string>& words);

} // namespace ke::cli
