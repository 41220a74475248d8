#pragma once

#include <string>
#include <string_view>

namespace ke {

/// Writes the bytes beside `path`, syncs, renames over it and syncs the directory: after a crash at any
/// moment the file has its old or its new content. Mode 0600. Error number of the system.
int replace_file(const std::string& path, std::string_view bytes);

/// Makes a directory if needed, and its entry in the parent durable, even if a process that has died made it.
/// Mode 0700. Error number.
int make_folder(const std::string& path);

/// Makes renames and new entries in a directory durable. Error number.
int sync_directory(const std::string& dir);

} // namespace ke
