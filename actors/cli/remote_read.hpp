#pragma once

#include <optional>
#include <string>
#include <vector>

namespace ke::cli {

/// `best|tree|show|diff|report|export ... --connect ENDPOINT`: the owner of the store carries the command
/// out, this program prints what it says and writes what it wrote. `words`: the command line. The exit code,
/// or nothing if it is no such command.
std::optional<int> read_remotely(const std::vector<std::string>& words);

} // namespace ke::cli
