#pragma once

#include "runtime/core/baseline.hpp"
#include "runtime/core/result.hpp"

#include <string>

namespace ke::cli {

/// What `eval FOLDER` needs to know of a folder that `export best` wrote.
struct exported_winner {
  std::string problem;   ///< path of the problem, for load_problem
  std::string candidate; ///< path of the kernel
  std::string backend;
  std::string measured; ///< "7.61x [7.17, 8.07] on DEVICE, claimed" ; empty if the folder does not say
  baseline against;     ///< what it was compared with; no name: the folder does not say, so the reference
};

/// Reads it and checks every file against MANIFEST. `invalid`: it is no such folder, or one that an earlier
/// version wrote without the problem; `corrupt`: a file was changed.
result<exported_winner> read_exported(const std::string& folder);

} // namespace ke::cli
