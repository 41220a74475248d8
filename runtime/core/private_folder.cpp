#include "runtime/core/private_folder.hpp"

#include <sys/stat.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <string>
#include <utility>

namespace ke {
namespace fs = std::filesystem;

result<private_folder> private_folder::make(const fs::path& parent, std::string_view prefix) {
  std::error_code error;
  auto in = parent.empty() ? fs::temp_directory_path(error) : parent;
  if (error)
    return failure{failure_kind::missing,
                   "there is no temporary folder (" + error.message() + "); set TMPDIR to one"};
  fs::create_directories(in, error); // mkdtemp says what went wrong
  auto pattern = (in / (std::string{prefix} + "XXXXXX")).string();
  if (!mkdtemp(pattern.data()))
    return failure{failure_kind::missing, "cannot make a private folder in " + in.string() + ": " +
                                              std::strerror(errno) + "; free it, or set TMPDIR to another"};
  return private_folder{pattern};
}

private_folder::private_folder(private_folder&& other) noexcept : path_{std::exchange(other.path_, {})} {}

private_folder& private_folder::operator=(private_folder&& other) noexcept {
  std::swap(path_, other.path_);
  return *this;
}

private_folder::~private_folder() {
  std::error_code ignored;
  if (!path_.empty())
    fs::remove_all(path_, ignored);
}

void private_folder::let_others_read() const {
  chmod(path_.c_str(), 0755);
}

fs::path beside_this_program(std::string_view name) {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).parent_path() / name;
}

} // namespace ke
