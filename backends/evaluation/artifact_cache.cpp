#include "backends/evaluation/artifact_cache.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <vector>

namespace ke {
namespace fs = std::filesystem;

artifact_cache::artifact_cache(fs::path folder, std::uint64_t bytes)
    : folder_{std::move(folder)}, bytes_{bytes} {}

fs::path artifact_cache::place(const std::string& key) const {
  return folder_ / key.substr(0, 2) / key;
}

std::optional<fs::path> artifact_cache::find(const std::string& key) const {
  if (folder_.empty() || key.size() < 3)
    return std::nullopt;
  auto path = place(key);
  // The modification time is the time of last use; setting it also says whether the file is there.
  if (utimensat(AT_FDCWD, path.c_str(), nullptr, 0) != 0)
    return std::nullopt;
  return path;
}

result<fs::path> artifact_cache::put(const std::string& key, const fs::path& file) {
  if (folder_.empty() || key.size() < 3)
    return failure{failure_kind::internal, "the artifact cache has no folder, or the key is too short"};
  static std::atomic<unsigned> serial{0};
  auto path = place(key);
  auto fresh = folder_ / ("new-" + std::to_string(getpid()) + "-" + std::to_string(serial++) + ".ke-tmp");
  std::error_code error;
  fs::create_directories(path.parent_path(), error);
  if (!error)
    fs::copy_file(file, fresh, fs::copy_options::overwrite_existing, error);
  if (!error)
    fs::rename(fresh, path, error);
  if (error) {
    std::error_code ignored;
    fs::remove(fresh, ignored);
    auto kind = error == std::errc::no_space_on_device ? failure_kind::disk_full : failure_kind::internal;
    return failure{kind, "cannot keep the built object in " + folder_.string() + ": " + error.message(),
                   kind == failure_kind::disk_full};
  }
  trim();
  return path;
}

void artifact_cache::trim() const {
  struct entry {
    fs::path path;
    fs::file_time_type used;
    std::uint64_t bytes;
  };
  std::vector<entry> all;
  std::uint64_t total = 0;
  std::error_code error;
  for (fs::recursive_directory_iterator at{folder_, error}, end; !error && at != end; at.increment(error)) {
    std::error_code gone; // another process may trim at the same time
    if (!at->is_regular_file(gone) || gone)
      continue;
    entry e{at->path(), at->last_write_time(gone), at->file_size(gone)};
    if (gone)
      continue;
    total += e.bytes;
    all.push_back(std::move(e));
  }
  if (total <= bytes_)
    return;
  std::sort(all.begin(), all.end(), [](const entry& a, const entry& b) { return a.used < b.used; });
  for (const auto& e : all) {
    if (total <= bytes_)
      break;
    if (fs::remove(e.path, error))
      total -= e.bytes;
  }
}

} // namespace ke
