#include "runtime/llm/regions.hpp"

#include "runtime/text/source_text.hpp"

#include <algorithm>
#include <string>
#include <vector>

namespace ke {
namespace {

/// What of a source is fixed: the lines before the first region, between two, and after the last one, markers
/// included.
struct fixed_text {
  std::vector<std::vector<std::string_view>> parts{{}};
  std::size_t regions() const { return parts.size() - 1; }
};

failure off(const std::string& why) {
  return {
      failure_kind::markers,
      why + ". Keep every line with `ke-mutable:` and all that stands outside of the regions as it is in the "
            "parent; change only what is between a `begin` and its `end`",
      false};
}

std::string shown_line(std::string_view line) {
  return "'" + std::string{line.substr(0, 80)} + "'";
}

/// "begin" or "end" on a marker's line; empty on any other.
std::string_view mark_on(std::string_view line) {
  auto at = line.find(region_mark);
  if (at == line.npos)
    return {};
  auto word = trimmed(line.substr(at + region_mark.size()));
  return word.starts_with("begin") ? "begin" : word.starts_with("end") ? "end" : std::string_view{};
}

result<fixed_text> fixed_of(std::string_view source) {
  fixed_text found;
  bool inside = false;
  for (std::size_t number = 1; !source.empty(); ++number) {
    auto end = source.find('\n');
    auto line = source.substr(0, end);
    line = line.substr(0, line.find_last_not_of(" \t\r") + 1);
    source.remove_prefix(end == source.npos ? source.size() : end + 1);
    auto mark = mark_on(line);
    if (mark == "begin" && inside)
      return off("line " + std::to_string(number) +
                 " begins a region within another one: the `ke-mutable: end` "
                 "before it is missing");
    if (mark == "end" && !inside)
      return off("line " + std::to_string(number) +
                 " ends a region that has not begun: its `ke-mutable: begin` "
                 "is missing");
    if (mark == "end") {
      inside = false;
      found.parts.emplace_back();
    }
    if (!inside && !line.empty())
      found.parts.back().push_back(line);
    if (mark == "begin")
      inside = true;
  }
  if (inside)
    return off("the last region has no end: its `ke-mutable: end` is missing");
  return found;
}

} // namespace

status check_regions(std::string_view parent, std::string_view source) {
  if (parent.find(region_mark) == parent.npos)
    return ok;
  auto was = fixed_of(parent);
  if (!was || was->regions() == 0)
    return ok;
  auto is = fixed_of(source);
  if (!is)
    return is.error();
  if (is->regions() != was->regions())
    return off("the parent has " + std::to_string(was->regions()) + " marked region(s), the answer has " +
               std::to_string(is->regions()));
  for (std::size_t i = 0; i < was->parts.size(); ++i) {
    const auto &before = was->parts[i], &after = is->parts[i];
    auto [a, b] = std::mismatch(before.begin(), before.end(), after.begin(), after.end());
    if (a == before.end() && b == after.end())
      continue;
    if (a == before.end())
      return off("outside of the regions stands a new line " + shown_line(*b));
    return off("outside of the regions the parent's line " + shown_line(*a) +
               (b == after.end() ? " is gone" : " has become " + shown_line(*b)));
  }
  return ok;
}

} // namespace ke
