#pragma once

#include "runtime/core/result.hpp"

#include <filesystem>
#include <map>
#include <string>

namespace ke {

/// This program's file.
std::filesystem::path self_path();

/// The environment of our own child processes: no secrets, no keys.
std::map<std::string, std::string> child_environment();

/// Walks a store in a child process: a damaged file can abort or fault its reader.
status verify_in_child(const std::string& dir);

} // namespace ke
