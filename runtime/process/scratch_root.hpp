#pragma once

#include "runtime/core/result.hpp"
#include "runtime/process/unique_fd.hpp"

#include <filesystem>

namespace ke {

/// The evaluations' folder of one process (a worker, `eval`): ke-eval-XXXXXX under the system's temporary
/// folder, with a locked file `alive` in it. The lock ends with the process, however that ends, so later ones
/// find and remove abandoned folders.
class scratch_root {
public:
  /// Removes what dead workers of this user left in `parent`, then makes a new folder there.
  static result<scratch_root> make(const std::filesystem::path& parent);
  ~scratch_root();
  scratch_root(scratch_root&& other) noexcept;
  scratch_root& operator=(scratch_root&&) = delete;

  const std::filesystem::path& folder() const { return folder_; }

private:
  scratch_root(std::filesystem::path folder, unique_fd lock)
      : folder_{std::move(folder)}, lock_{std::move(lock)} {}
  std::filesystem::path folder_;
  unique_fd lock_;
};

} // namespace ke
