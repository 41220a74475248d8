#pragma once

#include "runtime/core/result.hpp"

#include <map>
#include <optional>
#include <string>

namespace ke::cli {

/// The files of an exported folder: name -> content. Names contain no folders.
using folder_files = std::map<std::string, std::string>;

/// MANIFEST: a line "DIGEST  NAME" per file, in order of names; also for `b2sum -l 256 -c MANIFEST`.
inline constexpr const char* manifest_name = "MANIFEST";
std::string manifest_text(const folder_files& files);

/// Whether such a folder may hold a file of this name: no path, not the manifest itself.
bool plain_name(const std::string& name);

/// Name -> digest, or nothing if the text is no manifest.
std::optional<std::map<std::string, std::string>> parse_manifest(const std::string& text);

/// Checks a folder against its MANIFEST. `not_found`: there is none. `corrupt`, naming the file: a byte was
/// changed, the manifest makes no sense, or, if `complete`, a listed file is missing.
status verify_folder(const std::string& dir, bool complete);

/// Writes the files, then their MANIFEST, each replaced as a whole. Removes files that only the folder's
/// earlier manifest names. Makes the folder. `invalid` if something can't be written.
status write_folder(const std::string& dir, const folder_files& files);

} // namespace ke::cli
