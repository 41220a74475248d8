#include "knowledge/skills/skill_change.hpp"

#include "knowledge/library/definitions.hpp"
#include "runtime/core/stable_order.hpp"
#include "runtime/text/source_text.hpp"
#include "runtime/text/text_diff.hpp"

#include <algorithm>
#include <set>
#include <vector>

namespace ke {
namespace {

constexpr std::size_t context = 2, kept_removals = 4;
constexpr std::size_t fewest_bytes = 300; ///< of a definition: less would say nothing
constexpr std::size_t longest_names = 200, room_for_names = longest_names + 40;
constexpr std::string_view header = "--- before\n+++ after\n";

using words = std::set<std::string, std::less<>>;

words words_in(std::string_view text) {
  words all;
  for (std::size_t at = 0; at < text.size();) {
    auto begin = at;
    while (at < text.size() && is_word(text[at]))
      ++at;
    if (at > begin)
      all.emplace(text.substr(begin, at - begin));
    else
      ++at;
  }
  return all;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    auto end = std::min(text.find('\n'), text.size() - 1);
    lines.push_back(text.substr(0, end + 1));
    text.remove_prefix(end + 1);
  }
  return lines;
}

std::string left_out(std::size_t lines, const char* what) {
  return "[" + std::to_string(lines) + " " + what + (lines == 1 ? " line" : " lines") + " left out]\n";
}

/// Long runs of removed lines become one line: the new version says how it is done.
std::string without_old_version(std::string_view diff) {
  std::string text;
  auto lines = lines_of(diff);
  for (std::size_t i = 0; i < lines.size();) {
    auto run = i;
    while (run < lines.size() && lines[run].starts_with('-') && !lines[run].starts_with("---"))
      ++run;
    if (run - i > kept_removals) {
      text += left_out(run - i, "removed");
    } else {
      run = std::max(run, i + 1);
      for (auto j = i; j < run; ++j)
        text += lines[j];
    }
    i = run;
  }
  return text;
}

/// Unrolled code says the same many times: of lines that differ in their figures only, the first one is kept.
std::string without_repeats(std::string_view diff) {
  auto shape_of = [](std::string_view line) {
    std::string shape{line};
    std::erase_if(shape, [](char c) { return c >= '0' && c <= '9'; });
    return shape;
  };
  std::string text;
  auto lines = lines_of(diff);
  for (std::size_t i = 0; i < lines.size();) {
    auto run = i + 1;
    for (auto shape = shape_of(lines[i]); run < lines.size() && shape_of(lines[run]) == shape;)
      ++run;
    text += lines[i];
    if (run - i > 2)
      text += left_out(run - i - 1, "like");
    else if (run - i == 2)
      text += lines[i + 1];
    i = run;
  }
  return text;
}

/// Whole lines of the beginning and of the end.
std::string without_middle(std::string_view text, std::size_t limit) {
  auto lines = lines_of(text);
  auto room = limit - std::min(limit, left_out(lines.size(), "more").size());
  std::size_t head = 0, tail = 0, used = 0;
  while (head + tail < lines.size()) {
    auto from_head = head <= tail;
    auto size = lines[from_head ? head : lines.size() - 1 - tail].size();
    if (used + size > room)
      break;
    used += size;
    ++(from_head ? head : tail);
  }
  std::string kept;
  for (std::size_t i = 0; i < lines.size(); ++i)
    if (i == head && head + tail < lines.size())
      kept += left_out(lines.size() - head - tail, "more");
    else if (i < head || i >= lines.size() - tail)
      kept += lines[i];
  return kept.size() <= limit ? kept : std::string{};
}

std::string fitted(std::string text, std::size_t limit) {
  if (text.size() > limit)
    text = without_old_version(text);
  if (text.size() > limit)
    text = without_repeats(text);
  return text.size() > limit ? without_middle(text, limit) : text;
}

/// A definition of the new source that the entry needs, or is.
struct needed {
  const definition* what = nullptr;
  std::string change; ///< hunks; empty: it is as it was
  std::size_t distance = 0;
  bool loops = false;
};

/// What changed within one definition: its hunks, named by it, as their places in the file say nothing.
std::string change_in(const definition& after, const std::vector<definition>& old) {
  auto same = std::find_if(old.begin(), old.end(), [&](const auto& d) { return d.name == after.name; });
  auto diff = unified_diff(same == old.end() ? std::string_view{} : std::string_view{same->text}, after.text,
                           "before", "after", context);
  std::string text;
  for (auto line : lines_of(std::string_view{diff}.substr(std::min(diff.size(), header.size()))))
    text += line.starts_with("@@") ? "@@ " + after.name + " @@\n" : std::string{line};
  return text;
}

/// The entry first, then what it uses, directly before indirectly.
std::vector<needed> needed_by(const definition& entry, const std::vector<definition>& all,
                              const std::vector<definition>& old) {
  std::vector<needed> found;
  auto take = [&](const definition& d, std::size_t distance) {
    auto uses = words_in(d.text);
    found.push_back({&d, change_in(d, old), distance, uses.contains("for") || uses.contains("while")});
    return uses;
  };
  std::vector<words> uses{take(entry, 0)};
  for (std::size_t i = 0; i < found.size(); ++i)
    for (const auto& d : all)
      if (uses[i].contains(d.name) &&
          std::none_of(found.begin(), found.end(), [&](const auto& n) { return n.what == &d; }))
        uses.push_back(take(d, found[i].distance + 1));
  order_stably(found, [](const needed& a, const needed& b) {
    if (a.distance != b.distance)
      return a.distance < b.distance;
    return a.loops != b.loops ? a.loops : a.change.size() < b.change.size();
  });
  return found;
}

/// Sources are untrusted: what is too long for a person's code is not read, but cut as it is.
bool is_readable(std::string_view source) {
  constexpr std::size_t longest_source = 64 << 10, longest_line = 2000;
  if (source.size() > longest_source)
    return false;
  auto lines = lines_of(source);
  return std::all_of(lines.begin(), lines.end(),
                     [](std::string_view line) { return line.size() <= longest_line; });
}

std::string names_line(const std::vector<std::string>& names, std::size_t others) {
  std::string text;
  for (const auto& n : names)
    if (text.size() + n.size() < longest_names)
      text += (text.empty() ? "" : ", ") + n;
    else
      ++others;
  if (others > 0)
    text += (text.empty() ? "" : " and ") + std::to_string(others) + " more";
  return text.empty() ? text : "[helpers: " + text + "]\n";
}

} // namespace

std::string skill_change(std::string_view before, std::string_view after, std::string_view entry,
                         source_language language, std::size_t limit) {
  auto whole = unified_diff(before, after, "before", "after", context);
  if (whole.size() <= limit)
    return whole;
  if (!is_readable(before) || !is_readable(after))
    return fitted(whole, limit);
  auto now = definitions_in(after, language), old = definitions_in(before, language);
  auto asked = std::find_if(now.begin(), now.end(), [&](const auto& d) { return d.name == entry; });
  if (asked == now.end())
    return fitted(whole, limit);
  auto parts = needed_by(*asked, now, old);
  std::erase_if(parts, [](const needed& n) { return n.change.empty(); });
  if (parts.empty())
    return fitted(whole, limit);

  // The entry may merely call the function that does the work. If that one has loops, half of the room is
  // reserved for it.
  auto room = limit - std::min(limit, header.size() + room_for_names);
  std::size_t looping = 0;
  for (const auto& p : parts)
    looping += p.distance > 0 && p.loops ? p.change.size() : 0;
  std::string text{header};
  std::vector<std::string> names;
  for (const auto& p : parts) {
    auto mine = p.distance == 0 ? room - std::min(room / 2, looping) : room;
    auto fits = p.change.size() <= mine;
    if (!fits && p.distance > 0 && !(p.loops && mine >= fewest_bytes)) {
      names.push_back(p.what->name);
      continue;
    }
    auto part = fits ? p.change : fitted(p.change, mine);
    room -= std::min(room, part.size());
    text += part;
  }
  std::size_t others = 0;
  for (const auto& d : now)
    others += std::none_of(parts.begin(), parts.end(), [&](const auto& p) { return p.what == &d; }) &&
              !change_in(d, old).empty();
  return fitted(text + names_line(names, others), limit);
}

} // namespace ke
