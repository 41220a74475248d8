#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

/// Blobs too large for a page tree: blobs/ab/<digest> under the store, zstd.
namespace ke::blob_files {

/// Compressed size above which a blob becomes a file.
inline constexpr std::size_t threshold = 256u << 10;

std::string path_of(const std::string& dir, std::string_view digest);
/// Durable when it returns (file and directory entries synced); replaces a file of that name atomically.
/// Error number.
int write(const std::string& dir, std::string_view digest, std::string_view bytes);
/// Error number.
int read(const std::string& dir, std::string_view digest, std::string& bytes);
/// The file's size, or -1 if there is none.
std::int64_t size_of(const std::string& dir, std::string_view digest);
/// Every file under blobs/, also half-written ones: path and name.
void each(const std::string& dir,
          const std::function<void(const std::string& path, const std::string& name)>& visit);

} // namespace ke::blob_files
