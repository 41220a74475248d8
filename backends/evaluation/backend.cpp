#include "backends/evaluation/backend.hpp"

#include "runtime/text/nearest_name.hpp"

#include <algorithm>
#include <fstream>
#include <sstream>

namespace ke {

std::string usual_backend(const std::vector<backend>& all, std::string_view reference_language) {
  auto at = std::find_if(all.begin(), all.end(), [&](const backend& b) {
    return b.reference_language == reference_language && b.executes;
  });
  return at == all.end() ? std::string{} : at->name;
}

std::vector<std::string> backends_of(const std::vector<backend>& all, std::string_view target) {
  std::vector<std::string> names;
  for (const auto& b : all) {
    bool of_cpu = b.target.empty() && b.device == "cpu" &&
                  (target.starts_with("x86-64") || target.starts_with("aarch64"));
    bool stands_in = std::any_of(b.architectures.begin(), b.architectures.end(),
                                 [&](const architecture& a) { return a.target == target; });
    if ((of_cpu || stands_in || b.target == target) && b.name != target)
      names.push_back(b.name);
  }
  return names;
}

const source_level* level_of(const backend& b, std::string_view source) {
  for (const auto& l : b.levels)
    if (std::all_of(l.marks.begin(), l.marks.end(),
                    [&](const std::string& mark) { return source.find(mark) != std::string_view::npos; }))
      return &l;
  return nullptr;
}

std::vector<step_spec> usual_jobs() {
  return {{"candidate", job_kind::build, {}, "candidate", {}, {}, 0, {}},
          {"symbols", job_kind::precheck, {"candidate"}, {}, {}, {}, 0, {}},
          {"reference", job_kind::build, {}, "reference", {}, {}, 0, {}},
          {"truth", job_kind::build, {}, "truth", {}, {}, 0, {}},
          {"measure", job_kind::measure, {"symbols", "reference", "truth"}, {}, {}, {}, 0, {}}};
}

result<std::vector<backend>> load_backends(const std::filesystem::path& built_in,
                                           const std::vector<std::filesystem::path>& extra) {
  std::vector<backend> all;
  std::vector<std::filesystem::path> roots{built_in};
  roots.insert(roots.end(), extra.begin(), extra.end());
  for (const auto& root : roots) {
    std::error_code error;
    std::vector<std::filesystem::path> files;
    if (std::filesystem::exists(root / "backend.toml", error)) // the path may name one backend itself
      files.push_back(root / "backend.toml");
    else
      for (const auto& entry : std::filesystem::directory_iterator{root, error})
        if (std::filesystem::exists(entry.path() / "backend.toml", error))
          files.push_back(entry.path() / "backend.toml");
    if (files.empty())
      return failure{failure_kind::missing,
                     "no backend.toml in " + root.string() + "; give the folder that holds the backends"};
    std::sort(files.begin(), files.end());
    for (const auto& file : files) {
      std::ifstream in{file};
      std::stringstream text;
      text << in.rdbuf();
      auto b = parse_backend(text.str(), file);
      if (!b)
        return b.error();
      auto same = std::find_if(all.begin(), all.end(), [&](const backend& x) { return x.name == b->name; });
      if (same == all.end())
        all.push_back(*std::move(b));
      else
        *same = *std::move(b);
    }
  }
  return all;
}

std::filesystem::path backends_near(const std::filesystem::path& programs) {
  std::error_code error;
  auto folder = programs;
  for (int up = 0; up < 4; ++up, folder = folder.parent_path())
    for (auto place : {"backends", "share/ke-runtime/backends"})
      if (std::filesystem::exists(folder / place / "cpu-cpp" / "backend.toml", error))
        return std::filesystem::canonical(folder / place, error);
  return programs / "backends";
}

std::filesystem::path built_in_backends() {
  std::error_code error;
  return backends_near(std::filesystem::read_symlink("/proc/self/exe", error).parent_path());
}

result<backend> find_backend(const std::vector<backend>& all, std::string_view name) {
  std::string known;
  for (const auto& b : all) {
    if (b.name == name)
      return b;
    known += (known.empty() ? "" : ", ") + b.name;
  }
  std::vector<std::string> names;
  names.reserve(all.size());
  for (const auto& b : all)
    names.push_back(b.name);
  return failure{failure_kind::invalid, "no backend is called \"" + std::string{name} + "\"" +
                                            did_you_mean(name, names) + "; there are: " + known};
}

} // namespace ke
