#include "backends/evidence/assembler_words.hpp"

#include "runtime/core/evidence_keys.hpp"
#include "runtime/text/source_text.hpp"

#include <algorithm>
#include <charconv>
#include <optional>

namespace ke {
namespace {

constexpr std::size_t most_entries = 16, longest_name = 64, longest_arch = 16;

std::string_view next_of(std::string_view& text) {
  auto line = text.substr(0, text.find('\n'));
  text.remove_prefix(std::min(line.size() + 1, text.size()));
  return line;
}

/// What stands between two marks; nothing if one is missing.
std::optional<std::string_view> between(std::string_view line, std::string_view begin, std::string_view end) {
  auto from = line.find(begin);
  if (from == line.npos)
    return std::nullopt;
  line.remove_prefix(from + begin.size());
  auto to = line.find(end);
  return to == line.npos ? std::nullopt : std::optional{line.substr(0, to)};
}

/// The whole number that stands directly before these words.
std::optional<double> number_before(std::string_view line, std::string_view words) {
  auto end = line.find(words);
  if (end == line.npos || end == 0)
    return std::nullopt;
  auto begin = end;
  while (begin > 0 && line[begin - 1] >= '0' && line[begin - 1] <= '9')
    --begin;
  double value = 0;
  auto [at, error] = std::from_chars(line.data() + begin, line.data() + end, value);
  return error == std::errc{} && at == line.data() + end && begin < end ? std::optional{value} : std::nullopt;
}

bool is_plain(std::string_view name, std::size_t longest) {
  return !name.empty() && name.size() <= longest && std::all_of(name.begin(), name.end(), is_word);
}

/// The features of one very architecture are no other device.
std::string device_of(std::string_view arch) {
  if (arch.size() > 1 && (arch.back() == 'a' || arch.back() == 'f') && arch[arch.size() - 2] >= '0' &&
      arch[arch.size() - 2] <= '9')
    arch.remove_suffix(1);
  return std::string{arch};
}

} // namespace

std::map<std::string, double> assembler_counters(std::string_view words) {
  std::map<std::string, double> found;
  std::string prefix, name;
  bool own = false; // the properties that come next are the entry's
  std::size_t entries = 0;
  auto note = [&](const char* what, std::optional<double> value) {
    if (value && !prefix.empty())
      found.emplace(prefix + what, *value);
  };
  while (!words.empty()) {
    auto line = next_of(words);
    if (!line.starts_with("ptxas"))
      continue;
    if (auto entry = between(line, "Compiling entry function '", "'")) {
      auto arch = between(line, "' for '", "'");
      bool counts = arch && is_plain(*entry, longest_name) && is_plain(*arch, longest_arch) &&
                    ++entries <= most_entries;
      name = counts ? std::string{*entry} : std::string{};
      prefix = counts ? counter_keys::static_of + device_of(*arch) + "." + name + "." : std::string{};
      own = counts;
    } else if (auto at = line.find("Function properties for "); at != line.npos) {
      own = line.substr(at + 24) == name;
    } else if (line.find(" bytes stack frame") != line.npos && own) {
      note("stack_bytes", number_before(line, " bytes stack frame"));
      note("spill_bytes", number_before(line, " bytes spill stores").value_or(0) +
                              number_before(line, " bytes spill loads").value_or(0));
    } else if (line.find("Used ") != line.npos) {
      note("registers", number_before(line, " registers"));
      note("barriers", number_before(line, " barriers").value_or(0));
      note("shared_bytes", number_before(line, " bytes smem").value_or(0));
    }
  }
  return found;
}

} // namespace ke
