#include "backends/evidence/artifact_texts.hpp"

#include <algorithm>

namespace ke {
namespace {

constexpr std::size_t longest_artifact_name = 100;
constexpr std::size_t worth_keeping = 512; ///< bytes: less of a longer text tells nobody anything

std::size_t bytes_of(const std::map<std::string, std::string>& kept) {
  std::size_t all = 0;
  for (const auto& [name, text] : kept)
    all += text.size();
  return all;
}

/// The beginning of a text with whole lines; where its first line is longer, with whole characters of UTF-8.
std::string_view first_lines(std::string_view text, std::size_t room) {
  if (auto end = text.rfind('\n', room - 1); end != text.npos)
    return text.substr(0, end + 1);
  while (room > 0 && (static_cast<unsigned char>(text[room]) & 0xc0) == 0x80)
    --room;
  return text.substr(0, room);
}

} // namespace

void keep_artifact(std::map<std::string, std::string>& kept, const std::string& name, std::string_view text) {
  if (text.empty() || name.empty() || name.size() > longest_artifact_name || kept.size() == most_artifacts ||
      kept.contains(name))
    return;
  auto room =
      std::min(most_artifact_bytes, most_artifacts_bytes - std::min(most_artifacts_bytes, bytes_of(kept)));
  if (text.size() <= room) {
    kept.emplace(name, text);
    return;
  }
  auto words = "[cut here: all of it has " + std::to_string(text.size()) + " bytes]\n";
  if (room < worth_keeping)
    return;
  std::string cut{first_lines(text, room - words.size() - 1)};
  if (cut.back() != '\n')
    cut += '\n';
  kept.emplace(name, cut + words);
}

bool within_bounds(const std::map<std::string, std::string>& kept) {
  return kept.size() <= most_artifacts && bytes_of(kept) <= most_artifacts_bytes &&
         std::all_of(kept.begin(), kept.end(), [](const auto& entry) {
           return entry.first.size() <= longest_artifact_name && entry.second.size() <= most_artifact_bytes;
         });
}

} // namespace ke
