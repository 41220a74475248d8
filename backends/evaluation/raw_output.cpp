#include "backends/evaluation/raw_output.hpp"

#include <fstream>
#include <system_error>
#include <utility>

namespace ke {
namespace fs = std::filesystem;

raw_output::raw_output(fs::path folder) : folder_{std::move(folder)} {
  std::error_code error;
  if (!folder_.empty())
    fs::create_directories(folder_, error);
  if (error)
    folder_.clear();
}

void raw_output::keep(std::string_view name, std::string_view text) const {
  if (!wanted() || text.empty())
    return;
  std::ofstream out{file(name), std::ios::binary};
  out << text;
}

void raw_output::keep_file(std::string_view name, const fs::path& from) const {
  std::error_code error;
  if (wanted() && fs::symlink_status(from, error).type() == fs::file_type::regular)
    fs::copy_file(from, file(name), fs::copy_options::overwrite_existing, error);
  if (!error && wanted())
    fs::permissions(file(name), fs::perms{0644}, error);
}

void raw_output::keep_files(const fs::path& from) const {
  std::error_code error;
  for (const auto& entry : fs::directory_iterator{from, error})
    keep_file(entry.path().filename().string(), entry.path());
}

} // namespace ke
