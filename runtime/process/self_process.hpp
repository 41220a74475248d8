#pragma once

#include "runtime/core/result.hpp"

#include <filesystem>
#include <map>
#include <string>

namespace ke {

/// This program's file.
std::filesystem::path self_path();

/// What of our environment says which devices there are and where their driver library is: a container may have it in
/// LD_LIBRARY_PATH alone.
std::map<std::string, std::string> device_environment();

/// The environment of our own child processes: no secrets, no keys.
std::map<std::string, std::string> child_environment();

/// Walks a store in a child process: a damaged file can abort or fault its reader.
status verify_in_child(const std::string& dir);

} // namespace ke
