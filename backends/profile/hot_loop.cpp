#include "backends/profile/hot_loop.hpp"

#include <algorithm>
#include <cstdlib>

namespace ke {
namespace {

constexpr std::size_t most_instructions = 400'000, longest_body = 600, longest_listing = 40;

struct instruction {
  std::uint64_t at = 0;
  std::string_view text;
  std::uint32_t function = 0;
};

std::string_view operation(std::string_view text) {
  return text.substr(0, text.find_first_of(" \t"));
}

bool is_jump(std::string_view op) {
  return op.starts_with("j") || op == "loop";
}

/// "jne    1120 <kernel+0x20>"
bool target_of(std::string_view text, std::uint64_t& target) {
  auto space = text.find_first_of(" \t");
  if (space == std::string_view::npos)
    return false;
  std::string hex{text.substr(text.find_first_not_of(" \t", space)).substr(0, 17)};
  char* end = nullptr;
  target = std::strtoull(hex.c_str(), &end, 16);
  return end != hex.c_str() && (*end == ' ' || *end == '\0');
}

} // namespace

hot_loop find_hot_loop(std::string_view text, const std::vector<std::pair<std::uint64_t, double>>& places,
                       double samples) {
  std::vector<instruction> all;
  std::vector<std::string> functions{""};
  while (!text.empty() && all.size() < most_instructions) {
    auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (!line.empty() && line.back() == ':' && line.find('<') != std::string_view::npos) {
      auto name = line.substr(line.find('<') + 1);
      functions.emplace_back(name.substr(0, name.find('>')));
      continue;
    }
    auto colon = line.find(":\t");
    if (colon == std::string_view::npos)
      continue;
    std::string hex{line.substr(0, std::min<std::size_t>(colon, 24))};
    auto insn = line.substr(colon + 2);
    insn = insn.substr(0, insn.find('#'));
    insn = insn.substr(0, insn.find_last_not_of(" \t\r") + 1);
    if (!insn.empty())
      all.push_back(
          {std::strtoull(hex.c_str(), nullptr, 16), insn, static_cast<std::uint32_t>(functions.size() - 1)});
  }
  hot_loop found;
  double inside = 0;
  for (const auto& [at, n] : places)
    inside += n;
  if (inside <= 0 || samples <= 0)
    return found;
  struct range {
    std::size_t first, last;
    double weight;
  };
  std::vector<range> loops;
  for (std::size_t i = 0; i < all.size(); ++i) {
    std::uint64_t target = 0;
    if (!is_jump(operation(all[i].text)) || !target_of(all[i].text, target) || target > all[i].at)
      continue;
    auto begin = std::lower_bound(all.begin(), all.end(), target,
                                  [](const instruction& x, std::uint64_t a) { return x.at < a; });
    if (begin == all.end() || begin->at != target || begin->function != all[i].function)
      continue;
    double weight = 0;
    for (const auto& [at, n] : places)
      if (at >= target && at <= all[i].at)
        weight += n;
    if (weight > 0)
      loops.push_back({static_cast<std::size_t>(begin - all.begin()), i, weight});
  }
  double most = 0;
  for (const auto& l : loops)
    most = std::max(most, l.weight);
  const range* best = nullptr;
  for (const auto& l : loops)
    if (l.weight >= 0.7 * most && (!best || l.last - l.first < best->last - best->first))
      best = &l;
  if (!best)
    return found;
  found.function = functions[all[best->first].function].substr(0, 200);
  found.first = all[best->first].at;
  found.last = all[best->last].at;
  found.share = best->weight / samples;
  found.instructions = best->last - best->first + 1;
  found.bytes = found.last - found.first;
  std::size_t shown = 0;
  for (auto i = best->first; i <= best->last; ++i) {
    auto op = operation(all[i].text);
    if (shown++ < longest_listing)
      found.listing += std::string{all[i].text.substr(0, 100)} + '\n';
    found.calls = found.calls || op.starts_with("call");
    bool padding = op.starts_with("nop") || op == "data16" || op == "cs" || op == "xchg";
    if (is_jump(op) || op.starts_with("call") || op.starts_with("ret") || padding ||
        i - best->first >= longest_body)
      continue;
    found.body += std::string{all[i].text} + '\n';
  }
  return found;
}

} // namespace ke
