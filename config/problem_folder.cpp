#include "config/problem_folder.hpp"

#include "config/problem_file.hpp"

#include <cctype>

namespace ke {
namespace {

/// A written table of `[tolerance]` overrides the rule for that type, so only the problem's own tables are
/// written.
bool not_given(const problem& what, const std::string& path) {
  auto begin = path.find('.') + 1, end = path.find('.', begin);
  return path.starts_with("tolerance.") && end != std::string::npos &&
         !what.tolerances.count(path.substr(begin, end - begin));
}

/// A problem may come from somebody else, with any name.
std::string plain(std::string name) {
  for (auto& c : name)
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '-' && c != '.')
      c = '_';
  return name.empty() || name.starts_with('.') ? "_" + name : name;
}

} // namespace

problem_folder folder_of(const problem& what) {
  problem_folder folder;
  if (what.tensors.empty()) { // KernelBench: the file is the problem
    folder.main = plain(what.name) + ".py";
    folder.files[folder.main] = what.reference;
    return folder;
  }
  problem written = what;
  for (auto& t : written.tensors)
    if (auto bytes = what.files.find(t.init); bytes != what.files.end()) {
      t.init = plain(t.init);
      folder.files[t.init] = bytes->second;
    }
  problem_paths paths;
  paths.reference = what.reference_language == "python" ? "reference.py" : "reference.cpp";
  folder.files[paths.reference] = what.reference;
  if (!what.generator.empty()) {
    paths.generator = "inputs.py";
    folder.files[paths.generator] = what.generator;
  }
  auto keys = problem_schema(written, paths);
  std::erase_if(keys.keys, [&](const key_spec& k) { return not_given(what, k.path); });
  folder.main = "problem.toml";
  folder.files[folder.main] = schema_text(keys, false);
  return folder;
}

} // namespace ke
