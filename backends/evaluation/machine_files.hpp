#pragma once

#include "runtime/core/result.hpp"

#include <filesystem>
#include <map>
#include <string>
#include <vector>

namespace ke {

/// A file outside of a backend's folder that its commands need: a vendor's library, say ([[file]] of
/// backend.toml).
struct machine_file {
  std::string name;
  std::string variable; ///< of this program's environment: its value is the place; empty: none
  /// Patterns as of a shell, tried in order; of those that fit one the last in alphabetical order counts.
  /// {programs}: the folder of this program; {python}: the prefix of python_program().
  std::vector<std::string> places;
  bool shows_folder = false; ///< sandboxes see the folder that it lies in; else the file alone
  bool optional = false;     ///< words of commands that mention it are left out where it is not there
  std::string hint;          ///< how to get it, for a person
};

/// Where a backend's files lie on this machine.
struct found_files {
  std::map<std::string, std::filesystem::path> places; ///< by name
  std::vector<const machine_file*> absent;             ///< optional ones

  /// What sandboxes must be shown.
  std::vector<std::filesystem::path> shown(const std::vector<machine_file>& files) const;
};

/// Whether this machine has it.
bool has_file(const machine_file& file);

/// Looks for them: reads folders. `missing`, with the hint of the first one that is not there and not
/// optional. `files` must outlive the result.
result<found_files> find_machine_files(const std::vector<machine_file>& files);

} // namespace ke
