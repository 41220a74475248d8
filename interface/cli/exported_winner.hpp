#pragma once

#include "runtime/core/baseline.hpp"
#include "runtime/core/result.hpp"

#include <string>

namespace ke::cli {

/// What `eval FOLDER` needs of a folder written by `export best`.
struct exported_winner {
  std::string problem;   ///< path of the problem, for load_problem
  std::string candidate; ///< path of the kernel
  std::string backend;
  std::string measured; ///< "7.61x [7.17, 8.07] on DEVICE, claimed"; empty: the folder does not say
  baseline against;     ///< what it was compared with; no name: not in the folder, so the reference
};

/// Reads a folder and checks every file against MANIFEST. `invalid`: no such folder, or an earlier version
/// wrote it without the problem; `corrupt`: a file was changed.
result<exported_winner> read_exported(const std::string& folder);

} // namespace ke::cli
