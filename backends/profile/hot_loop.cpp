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

struct disassembly {
  std::vector<instruction> all;
  std::vector<std::string> functions{""};
};

disassembly read_disassembly(std::string_view text) {
  disassembly read;
  while (!text.empty() && read.all.size() < most_instructions) {
    auto line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(line.size() + 1, text.size()));
    if (!line.empty() && line.back() == ':' && line.find('<') != std::string_view::npos) {
      auto name = line.substr(line.find('<') + 1);
      read.functions.emplace_back(name.substr(0, name.find('>')));
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
      read.all.push_back({std::strtoull(hex.c_str(), nullptr, 16), insn,
                          static_cast<std::uint32_t>(read.functions.size() - 1)});
  }
  return read;
}

using samples_at = std::vector<std::pair<std::uint64_t, double>>;

/// Instructions between a jump back and its target, and the samples that fell between them.
struct jump_range {
  std::size_t first, last;
  double weight;
};

std::vector<jump_range> loops_in(const std::vector<instruction>& all, const samples_at& places) {
  std::vector<jump_range> loops;
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
  return loops;
}

/// The shortest of those with most of the samples. Null: there is none.
const jump_range* hottest_of(const std::vector<jump_range>& loops) {
  double most = 0;
  for (const auto& l : loops)
    most = std::max(most, l.weight);
  const jump_range* best = nullptr;
  for (const auto& l : loops)
    if (l.weight >= 0.7 * most && (!best || l.last - l.first < best->last - best->first))
      best = &l;
  return best;
}

/// The listing for a reader, and the body for a model of the processor.
void copy_body(const std::vector<instruction>& all, const jump_range& loop, hot_loop& into) {
  std::size_t shown = 0;
  for (auto i = loop.first; i <= loop.last; ++i) {
    auto op = operation(all[i].text);
    if (shown++ < longest_listing)
      into.listing += std::string{all[i].text.substr(0, 100)} + '\n';
    into.calls = into.calls || op.starts_with("call");
    bool padding = op.starts_with("nop") || op == "data16" || op == "cs" || op == "xchg";
    if (is_jump(op) || op.starts_with("call") || op.starts_with("ret") || padding ||
        i - loop.first >= longest_body)
      continue;
    into.body += std::string{all[i].text} + '\n';
  }
}

} // namespace

hot_loop find_hot_loop(std::string_view text, const std::vector<std::pair<std::uint64_t, double>>& places,
                       double samples) {
  hot_loop found;
  double inside = 0;
  for (const auto& [at, n] : places)
    inside += n;
  if (inside <= 0 || samples <= 0)
    return found;
  auto [all, functions] = read_disassembly(text);
  auto loops = loops_in(all, places);
  const auto* best = hottest_of(loops);
  if (!best)
    return found;
  found.function = functions[all[best->first].function].substr(0, 200);
  found.first = all[best->first].at;
  found.last = all[best->last].at;
  found.share = best->weight / samples;
  found.instructions = best->last - best->first + 1;
  found.bytes = found.last - found.first;
  copy_body(all, *best, found);
  return found;
}

} // namespace ke
