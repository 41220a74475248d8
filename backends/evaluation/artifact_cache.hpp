#pragma once

#include "runtime/core/result.hpp"

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

namespace ke {

/// Built objects by content; the key is a digest of source, flags and toolchain. A folder of files, shared by
/// processes: an atomic rename puts each in place, so a reader sees a whole file or none. A hit needs no
/// process. Any thread.
class artifact_cache {
public:
  /// `folder` is made at the first put. `bytes`: most that it may hold; the longest unused files go first.
  artifact_cache(std::filesystem::path folder, std::uint64_t bytes);

  /// The path of the artifact, or none. Marks it as used.
  std::optional<std::filesystem::path> find(const std::string& key) const;

  /// Copies `file` in under `key` and gives its place. `disk_full` or `internal` with the path on failure.
  result<std::filesystem::path> put(const std::string& key, const std::filesystem::path& file);

private:
  std::filesystem::path place(const std::string& key) const;
  void trim() const;
  std::filesystem::path folder_;
  std::uint64_t bytes_;
};

} // namespace ke
