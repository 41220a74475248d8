#include "runtime/toml/config_error.hpp"

#include <map>

namespace ke {

config_error error_at(const text_place& place, std::string key, std::string text) {
  return {place.file, place.line, place.col, std::move(key), std::move(text)};
}

std::string to_line(const config_error& e) {
  std::string line = e.file;
  if (e.line)
    line += ":" + std::to_string(e.line) + ":" + std::to_string(e.col);
  for (const auto& part : {e.key, e.text})
    if (!part.empty())
      line += (line.empty() ? "" : ": ") + part;
  return line;
}

failure as_failure(failure_kind kind, const std::vector<config_error>& errors) {
  failure why{kind, {}, false};
  for (const auto& e : errors)
    why.text += (why.text.empty() ? "" : "\n") + to_line(e);
  return why;
}

void in_file_order(std::vector<config_error>& errors) {
  // Keeps the order of equal keys.
  std::multimap<std::pair<std::uint32_t, std::uint32_t>, config_error> sorted;
  for (auto& e : errors)
    sorted.emplace(std::pair{e.line, e.col}, std::move(e));
  errors.clear();
  for (auto& [place, e] : sorted)
    errors.push_back(std::move(e));
}

} // namespace ke
