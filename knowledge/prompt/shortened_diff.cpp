#include "knowledge/prompt/shortened_diff.hpp"

#include <algorithm>
#include <vector>

namespace ke {
namespace {

struct hunk {
  std::string_view text; ///< with its "@@" line and the last line break
  std::size_t removed = 0, added = 0;
};

/// "@@ -l,n +L,N @@" -> L; as it stands there.
std::string_view line_in_new(std::string_view text) {
  auto from = text.find('+'), to = text.find_first_of(", ", from);
  return from == std::string_view::npos ? "?" : text.substr(from + 1, to - from - 1);
}

/// The headers, then each change.
std::vector<hunk> parts_of(std::string_view diff) {
  std::vector<hunk> parts(1);
  std::size_t begin = 0;
  for (std::size_t at = 0; at < diff.size();) {
    auto end = std::min(diff.find('\n', at), diff.size() - 1) + 1;
    auto line = diff.substr(at, end - at);
    if (line.starts_with("@@ ")) {
      parts.emplace_back();
      begin = at;
    }
    auto& last = parts.back();
    last.text = diff.substr(begin, end - begin);
    last.removed += parts.size() > 1 && line.starts_with('-');
    last.added += parts.size() > 1 && line.starts_with('+');
    at = end;
  }
  return parts;
}

std::string left_out(const hunk& h) {
  return "[left out, at line " + std::string{line_in_new(h.text)} + ": " + std::to_string(h.removed) +
         " lines for " + std::to_string(h.added) + "]\n";
}

} // namespace

std::string shortened_diff(std::string_view diff, std::size_t limit) {
  if (diff.size() <= limit)
    return std::string{diff};
  auto parts = parts_of(diff);
  std::string text;
  std::size_t left = limit;
  bool any = false;
  for (const auto& part : parts) {
    bool heads = &part == &parts.front(), fits = part.text.size() <= left;
    if (!heads && !fits) {
      text += left_out(part);
      continue;
    }
    text += part.text;
    left -= std::min(left, part.text.size());
    any = any || !heads;
  }
  if (any)
    return text;
  auto cut = diff.substr(0, limit);
  return std::string{cut.substr(0, cut.rfind('\n') + 1)} + "[cut]\n";
}

} // namespace ke
