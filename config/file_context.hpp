#pragma once

#include <functional>
#include <optional>
#include <string>

namespace ke {

/// The surroundings of a file, as values, so that reading it is pure.
struct file_context {
  std::string name;   ///< as the user wrote it: shown in errors
  std::string folder; ///< absolute; relative paths in the file start here
  std::string home;   ///< replaces a leading "~"
  /// The environment; empty: nothing is set.
  std::function<std::optional<std::string>(const std::string&)> variable;
};

/// The context of a file of this machine: absolute folder, $HOME, getenv.
file_context context_of(const std::string& file);

/// The absolute path meant by the text; "~" is the home folder. Empty stays empty.
std::string resolved_path(const std::string& path, const file_context& context);

} // namespace ke
