#include "runtime/llm/patch.hpp"

#include <algorithm>
#include <cstdint>

namespace ke {
namespace {

using lines = std::vector<std::string_view>;

lines lines_of(std::string_view text) {
  lines all;
  while (!text.empty()) {
    auto end = text.find('\n');
    all.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return all;
}

std::string_view bare(std::string_view line) {
  auto end = line.find_last_not_of(" \t\r");
  return line.substr(0, end == std::string_view::npos ? 0 : end + 1);
}

/// `<<<<<<< SEARCH` and the like: at least five of the sign, then the word (none for the middle).
bool is_marker(std::string_view line, char sign, std::string_view word) {
  line = bare(line);
  auto end = std::min(line.find_first_not_of(sign), line.size());
  if (end < 5)
    return false;
  auto rest = line.substr(end);
  rest.remove_prefix(std::min(rest.find_first_not_of(' '), rest.size()));
  return rest == word;
}

std::string joined(const lines& all, std::size_t from, std::size_t to) {
  std::string text;
  for (auto i = from; i < to; ++i)
    text.append(all[i]).append("\n");
  return text;
}

failure broken(std::size_t number, const std::string& why) {
  return {failure_kind::no_code, "edit " + std::to_string(number + 1) + ": " + why, false};
}

std::string shown(std::string_view line) {
  return "'" + std::string{bare(line).substr(0, 80)} + "'";
}

} // namespace

result<std::vector<search_replace>> edits_of(std::string_view answer) {
  std::vector<search_replace> edits;
  auto all = lines_of(answer);
  for (std::size_t i = 0; i < all.size(); ++i) {
    if (!is_marker(all[i], '<', "SEARCH"))
      continue;
    auto middle = i + 1;
    while (middle < all.size() && !is_marker(all[middle], '=', ""))
      ++middle;
    auto end = middle + 1;
    while (end < all.size() && !is_marker(all[end], '>', "REPLACE"))
      ++end;
    if (end >= all.size())
      return broken(edits.size(),
                    "it has no end; close it with `=======`, the new lines and `>>>>>>> REPLACE`");
    edits.push_back({joined(all, i + 1, middle), joined(all, middle + 1, end)});
    i = end;
  }
  return edits;
}

result<std::string> apply_edits(std::string_view source, const std::vector<search_replace>& edits) {
  std::string text{source};
  for (std::size_t n = 0; n < edits.size(); ++n) {
    auto wanted = lines_of(edits[n].search);
    while (!wanted.empty() && bare(wanted.front()).empty())
      wanted.erase(wanted.begin());
    while (!wanted.empty() && bare(wanted.back()).empty())
      wanted.pop_back();
    if (wanted.empty())
      return broken(n, "its SEARCH part is empty; quote the lines that shall be replaced");
    auto have = lines_of(text);
    std::size_t found = 0, at = 0, nearest = 0, most = 0;
    for (std::size_t i = 0; i < have.size(); ++i) {
      std::size_t same = 0;
      while (same < wanted.size() && i + same < have.size() && bare(have[i + same]) == bare(wanted[same]))
        ++same;
      if (same == wanted.size() && found++ == 0)
        at = i;
      if (same > most) {
        most = same;
        nearest = i + same;
      }
    }
    if (found > 1)
      return broken(n, "its SEARCH part stands " + std::to_string(found) +
                           " times in the parent; quote more lines around it");
    if (found == 0)
      return broken(n, "its SEARCH part is not in the parent" +
                           (most == 0 ? "; its first line " + shown(wanted.front()) + " is nowhere"
                            : nearest < have.size()
                                ? ": line " + std::to_string(most + 1) + " of it is " + shown(wanted[most]) +
                                      ", there stands " + shown(have[nearest])
                                : ": the parent ends before line " + std::to_string(most + 1) + " of it"));
    text = joined(have, 0, at) + edits[n].replace + joined(have, at + wanted.size(), have.size());
  }
  return text;
}

} // namespace ke
