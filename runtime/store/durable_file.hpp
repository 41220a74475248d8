#pragma once

#include <string>
#include <string_view>

namespace ke {

/// Writes the bytes beside `path`, syncs, renames over it and syncs the directory: afterwards, or after a
/// crash at any moment, the file has its old or its new content. Mode 0600. Error number of the system.
int replace_file(const std::string& path, std::string_view bytes);

/// Makes a directory, if there is none, and its entry in its parent durable: also the entry of one that a
/// process made which did not live to do so. Mode 0700. Error number.
int make_folder(const std::string& path);

/// Makes renames and new entries in a directory durable. Error number.
int sync_directory(const std::string& dir);

} // namespace ke
