#include "backends/evidence/device_sanitizer.hpp"

#include "runtime/core/evidence_keys.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

namespace ke {
namespace {

constexpr std::size_t most_sanitizer_lines = 20'000, most_own_words = 4000;
constexpr std::size_t most_digits = 7;
constexpr std::string_view margin = "========= ";

/// How the tool begins its sentences about an error; of the first ones a size follows.
constexpr std::string_view kinds[] = {
    "Invalid __global__ read of size",
    "Invalid __global__ write of size",
    "Invalid __global__ atomic of size",
    "Invalid __shared__ read of size",
    "Invalid __shared__ write of size",
    "Invalid __shared__ atomic of size",
    "Invalid __local__ read of size",
    "Invalid __local__ write of size",
    "Uninitialized __global__ memory read of size",
    "Invalid __generic__ read of size",
    "Invalid __generic__ write of size",
    "Misaligned",
    "Barrier error detected",
    "Stack overflow",
    "Invalid program counter",
    "Illegal instruction",
};

/// How racecheck begins, and how it calls the two accesses.
constexpr std::string_view race = "Error: Race reported between ", race_with = "    and ";
constexpr std::pair<std::string_view, std::string_view> accesses[] = {
    {"Read access", "a read"}, {"Write access", "a write"}, {"Atomic access", "an atomic access"}};

std::string access_at(std::string_view text) {
  for (auto [word, ours] : accesses)
    if (text.starts_with(word))
      return std::string{ours};
  return {};
}

/// The whole number at the beginning, with commas between thousands; none: there is none.
std::optional<std::string> number_at(std::string_view text) {
  std::string digits;
  for (char c : text)
    if (c >= '0' && c <= '9')
      digits += c;
    else if (c != ',')
      break;
  if (digits.empty() || digits.size() > 18)
    return std::nullopt;
  return digits;
}

std::optional<std::string> number_after(std::string_view line, std::string_view words) {
  auto at = line.find(words);
  return at == line.npos ? std::nullopt : number_at(line.substr(at + words.size()));
}

/// "(32,0,0)" behind these words.
std::string place_after(std::string_view line, std::string_view words) {
  auto at = line.find(words);
  if (at == line.npos)
    return {};
  auto place = line.substr(at + words.size());
  place = place.substr(0, place.find(')') + 1);
  bool plain = place.size() > 2 && place.size() < 40 && place.front() == '(' &&
               place.find_first_not_of("0123456789,() ") == place.npos;
  return plain ? std::string{place} : std::string{};
}

/// The number behind the last colon of "in candidate.cu:14", or of "in candidate.py:14:rows".
std::optional<std::string> line_number(std::string_view line) {
  auto in = line.rfind(" in ");
  if (in == line.npos)
    return std::nullopt;
  auto colon = line.find(':', in);
  return colon == line.npos ? std::nullopt : number_at(line.substr(colon + 1));
}

/// One error, told over several lines.
class report {
public:
  void read(std::string_view line) {
    if (kind_.empty())
      begin(line);
    else
      detail(line);
  }

  std::string sentence() const {
    if (kind_.empty())
      return {};
    auto text = kind_;
    if (line_)
      text += ", at line " + *line_;
    if (!other_.empty())
      text += (line_ ? ", and " : " and ") + other_;
    if (!thread_.empty())
      text += ", thread " + thread_ + (block_.empty() ? "" : " of block " + block_);
    if (behind_ && allocation_ && behind_->size() <= most_digits) // further away it is no neighbour
      text += ", " + *behind_ + " bytes behind an allocation of " + *allocation_;
    return text;
  }

private:
  void begin(std::string_view line) {
    if (auto access = access_at(line.substr(std::min(line.size(), race.size())));
        line.starts_with(race) && !access.empty()) {
      kind_ = "Race in shared memory between " + access;
      line_ = line_number(line);
      return;
    }
    for (auto kind : kinds)
      if (line.starts_with(kind)) {
        kind_ = kind;
        if (auto bytes = number_after(line, " of size "); bytes && kind.ends_with("size"))
          kind_ += " " + *bytes;
        return;
      }
  }

  void detail(std::string_view line) {
    if (ended_)
      return;
    if (!line.starts_with(" ")) { // the next error
      ended_ = true;
      return;
    }
    if (!line_ && line.find("    at ") != line.npos)
      line_ = line_number(line);
    if (auto access = access_at(line.substr(std::min(line.size(), race_with.size())));
        other_.empty() && line.starts_with(race_with) && !access.empty()) {
      auto at = line_number(line);
      other_ = access + (at ? ", at line " + *at : "");
    }
    if (thread_.empty()) {
      thread_ = place_after(line, "by thread ");
      block_ = place_after(line, "in block ");
    }
    if (!behind_ && line.find("after the nearest allocation") != line.npos) {
      behind_ = number_after(line, "and is ");
      allocation_ = number_after(line, " of size ");
    }
  }

  std::string kind_, other_, thread_, block_;
  std::optional<std::string> line_, behind_, allocation_;
  bool ended_ = false;
};

/// Its next line; takes it off.
std::string_view line_of(std::string_view& text) {
  auto line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

} // namespace

bool has_sanitizer_summary(std::string_view text) {
  while (!text.empty())
    if (auto line = line_of(text); line.starts_with(margin))
      for (std::string_view summary : {"ERROR SUMMARY: ", "RACECHECK SUMMARY: "})
        if (line.substr(margin.size()).starts_with(summary))
          return true;
  return false;
}

profile_result read_device_sanitizer(std::string_view text) {
  report first;
  std::string own;
  for (std::size_t n = 0; n < most_sanitizer_lines && !text.empty(); ++n) {
    auto line = line_of(text);
    if (!line.starts_with(margin))
      continue;
    if (own.size() < most_own_words)
      own += std::string{line} + '\n';
    first.read(line.substr(margin.size()));
  }
  profile_result found;
  if (auto sentence = first.sentence(); !sentence.empty()) {
    found.findings[finding_keys::sanitizer] = sentence;
    found.findings[finding_keys::sanitizer_report] = own.substr(0, most_own_words);
  }
  return found;
}

} // namespace ke
