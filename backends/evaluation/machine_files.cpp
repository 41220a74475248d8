#include "backends/evaluation/machine_files.hpp"

#include "backends/evaluation/python_parent.hpp"

#include <glob.h>

#include <cstdlib>

namespace ke {
namespace fs = std::filesystem;
namespace {

fs::path folder_of_programs() {
  std::error_code error;
  return fs::read_symlink("/proc/self/exe", error).parent_path();
}

fs::path prefix_of_python() {
  fs::path program{python_program()};
  return program.has_parent_path() ? fs::absolute(program).parent_path().parent_path() : fs::path{"/usr"};
}

/// The last file that fits; empty: none does.
fs::path fitting(std::string pattern, const std::map<std::string, std::string>& words) {
  for (const auto& [word, value] : words)
    for (auto at = pattern.find(word); at != std::string::npos; at = pattern.find(word, at + value.size()))
      pattern.replace(at, word.size(), value);
  glob_t found{};
  fs::path last;
  if (::glob(pattern.c_str(), 0, nullptr, &found) == 0 && found.gl_pathc > 0)
    last = found.gl_pathv[found.gl_pathc - 1];
  ::globfree(&found);
  return last;
}

fs::path place_of_file(const machine_file& f) {
  const std::map<std::string, std::string> words{{"{programs}", folder_of_programs().string()},
                                                 {"{python}", prefix_of_python().string()}};
  std::error_code error;
  if (const char* given = f.variable.empty() ? nullptr : std::getenv(f.variable.c_str()); given && *given)
    return fs::exists(given, error) ? fs::absolute(given) : fs::path{};
  for (const auto& pattern : f.places)
    if (auto place = fitting(pattern, words); !place.empty())
      return place;
  return {};
}

} // namespace

std::vector<fs::path> found_files::shown(const std::vector<machine_file>& files) const {
  std::vector<fs::path> all;
  for (const auto& f : files) {
    auto at = places.find(f.name);
    if (at == places.end() || at->second.native().starts_with("/usr/")) // every sandbox has that
      continue;
    all.push_back(f.shows_folder ? at->second.parent_path() : at->second);
  }
  return all;
}

bool has_file(const machine_file& file) {
  return !place_of_file(file).empty();
}

result<found_files> find_machine_files(const std::vector<machine_file>& files) {
  found_files found;
  for (const auto& f : files) {
    auto place = place_of_file(f);
    if (!place.empty())
      found.places[f.name] = std::move(place);
    else if (f.optional)
      found.absent.push_back(&f);
    else
      return failure{failure_kind::missing,
                     f.name + " is not on this machine: " + (f.hint.empty() ? "install it" : f.hint)};
  }
  return found;
}

} // namespace ke
