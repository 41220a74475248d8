#pragma once

#include <optional>
#include <string>
#include <vector>

namespace ke::cli {

/// `best|tree|show|diff|report|export ... --connect ENDPOINT`: the store's owner carries the command out;
/// this program prints the output and writes the files. `words`: the command line. Returns the exit code;
/// nothing: not such a command.
std::optional<int> read_remotely(const std::vector<std::string>& words);

} // namespace ke::cli
