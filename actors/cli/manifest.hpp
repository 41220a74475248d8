#pragma once

#include "runtime/core/result.hpp"

#include <map>
#include <optional>
#include <string>

namespace ke::cli {

/// The files of an exported folder: name -> content. Names have no folders in them.
using folder_files = std::map<std::string, std::string>;

/// MANIFEST: a line "DIGEST  NAME" per file, in order of names; `b2sum -l 256 -c MANIFEST` checks it too.
inline constexpr const char* manifest_name = "MANIFEST";
std::string manifest_text(const folder_files& files);

/// Whether such a folder may hold a file of this name: no path, and not the manifest itself.
bool plain_name(const std::string& name);

/// Name -> digest, or nothing if the text is no manifest.
std::optional<std::map<std::string, std::string>> parse_manifest(const std::string& text);

/// Checks a folder against its MANIFEST. `not_found`: the folder has none. `corrupt`, naming the file: a byte
/// was changed, or the manifest makes no sense; a listed file that is missing is `corrupt` too if `complete`.
status verify_folder(const std::string& dir, bool complete);

/// Writes the files and their MANIFEST, the latter last, each replaced as a whole; files that only an earlier
/// manifest of the folder names are removed. Makes the folder. `invalid` if something can't be written.
status write_folder(const std::string& dir, const folder_files& files);

} // namespace ke::cli
