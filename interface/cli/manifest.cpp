#include "interface/cli/manifest.hpp"

#include "interface/cli/output_file.hpp"
#include "runtime/core/digest.hpp"

#include <filesystem>
#include <fstream>
#include <iterator>

namespace ke::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t digest_length = 64;

std::optional<std::string> content_of(const fs::path& file) {
  std::ifstream in{file, std::ios::binary};
  if (!in)
    return std::nullopt;
  return std::string{std::istreambuf_iterator<char>{in}, {}};
}

} // namespace

bool plain_name(const std::string& name) {
  return !name.empty() && name != "." && name != ".." && name.find('/') == std::string::npos &&
         name != manifest_name;
}

std::string manifest_text(const folder_files& files) {
  std::string text;
  for (const auto& [name, content] : files)
    text += digest_of(content) + "  " + name + "\n";
  return text;
}

std::optional<std::map<std::string, std::string>> parse_manifest(const std::string& text) {
  std::map<std::string, std::string> files;
  for (std::size_t at = 0; at < text.size();) {
    auto end = text.find('\n', at);
    if (end == std::string::npos || end - at < digest_length + 3 ||
        text.compare(at + digest_length, 2, "  ") != 0)
      return std::nullopt;
    auto digest = text.substr(at, digest_length),
         name = text.substr(at + digest_length + 2, end - at - digest_length - 2);
    if (digest.find_first_not_of("0123456789abcdef") != std::string::npos || !plain_name(name))
      return std::nullopt;
    files[name] = digest;
    at = end + 1;
  }
  if (files.empty())
    return std::nullopt;
  return files;
}

status verify_folder(const std::string& dir, bool complete) {
  auto text = content_of(fs::path{dir} / manifest_name);
  if (!text)
    return failure{failure_kind::not_found, dir + " has no " + manifest_name};
  auto files = parse_manifest(*text);
  if (!files)
    return failure{failure_kind::corrupt,
                   dir + "/" + manifest_name +
                       " is damaged: it is not a list of digests; remove the folder to export anew"};
  for (const auto& [name, digest] : *files) {
    auto file = fs::path{dir} / name;
    auto content = content_of(file);
    if (!content && !complete)
      continue;
    if (!content || digest_of(*content) != digest)
      return failure{failure_kind::corrupt,
                     file.string() + (content ? " was changed since it was exported" : " is missing") +
                         ": its digest differs from " + manifest_name + "; remove the folder to export anew"};
  }
  return ok;
}

status write_folder(const std::string& dir, const folder_files& files) {
  std::error_code error;
  fs::create_directories(dir, error);
  if (error)
    return failure{failure_kind::invalid, "cannot make the folder " + dir + ": " + error.message()};
  auto before = content_of(fs::path{dir} / manifest_name);
  auto listed = before ? parse_manifest(*before) : std::nullopt;
  auto put = [&](const std::string& name, const std::string& content) {
    return write_output((fs::path{dir} / name).string(), content, name.ends_with(".sh"));
  };
  // Without a manifest the folder is seen as unfinished until the new one is there.
  fs::remove(fs::path{dir} / manifest_name, error);
  if (listed)
    for (const auto& [name, digest] : *listed)
      if (!files.contains(name))
        fs::remove(fs::path{dir} / name, error);
  for (const auto& [name, content] : files)
    if (auto done = put(name, content); !done)
      return done;
  return put(manifest_name, manifest_text(files));
}

} // namespace ke::cli
