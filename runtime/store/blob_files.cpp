#include "runtime/store/blob_files.hpp"

#include "runtime/store/durable_file.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace ke::blob_files {
namespace {

std::string folder_of(const std::string& dir, std::string_view digest) {
  return dir + "/blobs/" + std::string{digest.substr(0, 2)};
}

} // namespace

std::string path_of(const std::string& dir, std::string_view digest) {
  return folder_of(dir, digest) + "/" + std::string{digest};
}

int write(const std::string& dir, std::string_view digest, std::string_view bytes) {
  auto folder = folder_of(dir, digest);
  if (int rc = make_folder(dir + "/blobs"))
    return rc;
  if (int rc = make_folder(folder))
    return rc;
  return replace_file(path_of(dir, digest), bytes);
}

int read(const std::string& dir, std::string_view digest, std::string& bytes) {
  std::ifstream in{path_of(dir, digest), std::ios::binary};
  if (!in)
    return errno ? errno : ENOENT;
  std::ostringstream all;
  all << in.rdbuf();
  bytes = std::move(all).str();
  return in.bad() ? EIO : 0;
}

std::int64_t size_of(const std::string& dir, std::string_view digest) {
  struct stat st{};
  return ::stat(path_of(dir, digest).c_str(), &st) == 0 ? st.st_size : -1;
}

void each(const std::string& dir, const std::function<void(const std::string&, const std::string&)>& visit) {
  std::error_code none;
  for (std::filesystem::recursive_directory_iterator i{dir + "/blobs", none}, end; !none && i != end;
       i.increment(none))
    if (i->is_regular_file(none))
      visit(i->path().string(), i->path().filename().string());
}

} // namespace ke::blob_files
