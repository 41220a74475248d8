#include "knowledge/library/corpus.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>

namespace ke {
namespace {

namespace fs = std::filesystem;

std::vector<document> sorted(std::vector<document> documents) {
  std::map<std::string, document> by_id;
  for (auto& d : documents)
    by_id[d.id] = std::move(d);
  documents.clear();
  for (auto& [id, d] : by_id)
    documents.push_back(std::move(d));
  return documents;
}

void append(document_set& to, parsed_document from) {
  if (from.document)
    to.documents.push_back(*std::move(from.document));
  to.findings.insert(to.findings.end(), from.findings.begin(), from.findings.end());
}

std::string comma_separated(const std::vector<std::string>& words) {
  std::string all;
  for (const auto& w : words)
    all += (all.empty() ? "" : ", ") + w;
  return all;
}

/// The path itself, if it is a backend's, else the backends below it, by name.
std::vector<fs::path> backends_in(const fs::path& path) {
  std::error_code error;
  if (fs::exists(path / "backend.toml", error))
    return {path};
  std::vector<fs::path> backends;
  for (const auto& entry : fs::directory_iterator{path, error})
    if (fs::exists(entry.path() / "backend.toml", error))
      backends.push_back(entry.path());
  std::sort(backends.begin(), backends.end());
  return backends;
}

} // namespace

corpus::corpus(std::vector<document> documents)
    : documents_{sorted(std::move(documents))}, index_{documents_} {}

const document* corpus::find(std::string_view id_or_path) const {
  auto at = std::lower_bound(documents_.begin(), documents_.end(), id_or_path,
                             [](const document& d, std::string_view id) { return d.id < id; });
  if (at != documents_.end() && at->id == id_or_path)
    return &*at;
  at = std::find_if(documents_.begin(), documents_.end(),
                    [&](const document& d) { return d.path == id_or_path; });
  return at == documents_.end() ? nullptr : &*at;
}

std::vector<std::string> corpus::list(std::string_view folder) const {
  std::string prefix{folder};
  while (prefix.ends_with('/'))
    prefix.pop_back();
  if (!prefix.empty())
    prefix += '/';
  std::set<std::string> names;
  for (const auto& d : documents_)
    if (d.id.starts_with(prefix)) {
      auto rest = d.id.substr(prefix.size());
      auto slash = rest.find('/');
      names.insert(slash == rest.npos ? rest : rest.substr(0, slash + 1));
    }
  return {names.begin(), names.end()};
}

document_set read_embedded() {
  document_set all;
  for (const auto& e : embedded_documents())
    append(all, parse_document(e.id, e.path, e.text));
  return all;
}

result<document_set> read_folder(const std::string& folder) {
  std::error_code error;
  std::vector<fs::path> files;
  for (fs::recursive_directory_iterator at{folder, error}, end; !error && at != end; at.increment(error)) {
    auto name = at->path().filename();
    if (name.extension() == ".md" && name != "README.md" && name != "index.md" && at->is_regular_file(error))
      files.push_back(at->path());
  }
  if (error)
    return failure{failure_kind::invalid, folder + " can't be read: " + error.message()};
  if (files.empty())
    return failure{failure_kind::invalid,
                   "no document (NAME.md) in " + folder + "; give the folder that holds them"};
  std::sort(files.begin(), files.end());
  bool categories = false;
  for (auto name : {"constraints", "guidance", "hardware"})
    categories = categories || fs::is_directory(fs::path{folder} / name, error);
  document_set all;
  for (const auto& file : files) {
    std::ifstream in{file, std::ios::binary};
    std::string text{std::istreambuf_iterator<char>{in}, {}};
    if (!in) {
      all.findings.push_back({file.string(), 0, true, "the file can't be read"});
      continue;
    }
    auto id = file.lexically_relative(folder);
    id.replace_extension();
    if (categories && !id.has_parent_path() && !text.starts_with("+++"))
      continue; // beside the categories lie pages that are no documents, as ke_task.md
    append(all, parse_document(id.generic_string(), file.generic_string(), text));
  }
  return all;
}

std::vector<finding> cross_findings(const std::vector<document>& documents,
                                    const std::vector<document>& others) {
  std::vector<finding> found;
  std::map<std::string, const document*> first;
  for (const auto& d : documents)
    if (auto [same, is_new] = first.emplace(d.id, &d); !is_new)
      found.push_back({d.path, 0, true, "the id " + d.id + " is that of " + same->second->path});
  std::set<std::string> known;
  for (const auto* list : {&documents, &others})
    for (const auto& d : *list)
      known.insert(d.id);
  for (const auto& d : documents)
    for (const auto& [id, line] : references_in(d.body))
      if (!known.contains(id))
        found.push_back(
            {d.path, d.body_line ? d.body_line + line : 0, true, "there is no document [[" + id + "]]"});
  return found;
}

result<std::shared_ptr<const corpus>> load_corpus(const std::vector<std::string>& folders) {
  auto all = read_embedded();
  for (const auto& folder : folders) {
    auto more = read_folder(folder);
    if (!more)
      return more.error();
    all.documents.insert(all.documents.end(), more->documents.begin(), more->documents.end());
    all.findings.insert(all.findings.end(), more->findings.begin(), more->findings.end());
  }
  std::string errors;
  for (const auto& f : all.findings)
    if (f.error)
      errors += (errors.empty() ? "" : "\n") + to_line(f);
  if (!errors.empty())
    return failure{failure_kind::invalid, errors};
  return std::shared_ptr<const corpus>{std::make_shared<corpus>(std::move(all.documents))};
}

std::vector<std::string> knowledge_folders(const std::vector<std::string>& backend_paths) {
  std::vector<std::string> folders;
  std::error_code error;
  for (const auto& path : backend_paths)
    for (const auto& b : backends_in(path))
      if (fs::is_directory(b / "knowledge", error))
        folders.push_back((b / "knowledge").generic_string());
  return folders;
}

status check_backend_paths(const std::vector<std::string>& backend_paths) {
  for (const auto& path : backend_paths)
    if (backends_in(path).empty())
      return failure{failure_kind::missing,
                     "no backend.toml in " + path + "; give the folder that holds the backends"};
  return ok;
}

std::string index_text(const std::vector<document>& documents) {
  std::string text = "# Index of " + std::to_string(documents.size()) +
                     " documents\n\nWritten by `ke-runtime knowledge show`. One line each: id, title, level, "
                     "targets, languages if not all; signals in brackets.\n";
  std::string folder;
  for (const auto& d : documents) {
    auto slash = d.id.rfind('/');
    auto here = slash == d.id.npos ? std::string{} : d.id.substr(0, slash);
    if (here != folder || text.ends_with("brackets.\n"))
      text += "\n## " + (here.empty() ? "(no folder)" : here) + "\n\n";
    folder = here;
    auto signals = comma_separated(d.signals.bottleneck);
    if (auto failures = comma_separated(d.signals.failure); !failures.empty())
      signals += (signals.empty() ? "" : ", ") + failures;
    text += "- `" + d.id + "` " + d.title + " · " + std::to_string(d.level) + " · " +
            comma_separated(d.targets) + (d.languages.empty() ? "" : " · " + comma_separated(d.languages)) +
            (signals.empty() ? "" : " [" + signals + "]") + "\n";
  }
  return text;
}

} // namespace ke
