#include "backends/profile/loop_ticks.hpp"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <set>

namespace ke {
namespace {

constexpr std::size_t most_lines = 400'000, most_blocks = 20'000, most_spans = 4096;

struct block {
  std::string name;
  std::size_t head = 0; ///< line after the label and all phis
  std::vector<std::string> targets;
  std::string location; ///< "!20" of its terminator
  std::vector<std::size_t> next, before;
};

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty() && lines.size() < most_lines) {
    auto end = std::min(text.find('\n'), text.size());
    lines.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// "16:    ; preds = ..." or "for.body:"; empty for other lines.
std::string_view label_of(std::string_view line) {
  if (line.empty() || line[0] == ' ' || line[0] == ';' || line[0] == '}')
    return {};
  auto colon = line[0] == '"' ? line.find("\":") + 1 : line.find(':');
  if (colon == std::string_view::npos || colon == 0 ||
      line.substr(0, colon).find(' ') != std::string_view::npos)
    return {};
  return line.substr(0, colon);
}

bool is_terminator(std::string_view line) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  for (std::string_view word : {"br ", "switch ", "ret ", "unreachable", "indirectbr ", "resume ", "invoke "})
    if (line.starts_with(word))
      return true;
  return line.find(" = invoke ") != std::string_view::npos;
}

void targets_in(std::string_view line, std::vector<std::string>& into) {
  for (auto at = line.find("label %"); at != std::string_view::npos; at = line.find("label %", at + 7)) {
    auto name = line.substr(at + 7);
    into.emplace_back(name.substr(0, name.find_first_of(", ]")));
  }
}

/// Numbers of heads with the loops' bodies, by depth-first search.
void find_loops(const std::vector<block>& blocks, std::map<std::size_t, std::set<std::size_t>>& bodies,
                std::map<std::size_t, std::size_t>& latch) {
  std::vector<char> state(blocks.size()); // 0 unseen, 1 on the path, 2 done
  std::vector<std::pair<std::size_t, std::size_t>> path;
  for (std::size_t root = 0; root < std::min<std::size_t>(1, blocks.size()); ++root) {
    path.emplace_back(root, 0);
    state[root] = 1;
    while (!path.empty()) {
      auto at = path.back().first;
      if (path.back().second == blocks[at].next.size()) {
        state[at] = 2;
        path.pop_back();
        continue;
      }
      auto to = blocks[at].next[path.back().second++];
      if (state[to] == 0) {
        state[to] = 1;
        path.emplace_back(to, 0);
      } else if (state[to] == 1) { // a back edge: all that reaches it without passing the head
        latch[to] = at;
        auto& body = bodies[to];
        body.insert(to);
        std::vector<std::size_t> open{at};
        while (!open.empty()) {
          auto b = open.back();
          open.pop_back();
          if (body.insert(b).second)
            open.insert(open.end(), blocks[b].before.begin(), blocks[b].before.end());
        }
      }
    }
  }
}

int line_of(const std::map<std::string, int, std::less<>>& locations, const std::string& name) {
  auto at = locations.find(name);
  return at == locations.end() ? 0 : at->second;
}

} // namespace

ticked_module insert_ticks(std::string_view ir, std::size_t most) {
  ticked_module made;
  auto lines = lines_of(ir);
  std::map<std::string, int, std::less<>> locations;
  for (auto line : lines)
    if (auto at = line.find(" = !DILocation(line: "); line.starts_with("!") && at != std::string_view::npos)
      locations.emplace(line.substr(0, at), std::atoi(std::string{line.substr(at + 21, 9)}.c_str()));
  std::map<std::size_t, int> ticks; // line number -> id
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!lines[i].starts_with("define "))
      continue;
    auto at = lines[i].find('@');
    auto function = std::string{lines[i].substr(at + 1, lines[i].find('(', at) - at - 1)};
    std::vector<block> blocks(1);
    blocks[0].head = i + 1;
    bool phis = true;
    for (++i; i < lines.size() && lines[i] != "}" && blocks.size() < most_blocks; ++i) {
      auto line = lines[i];
      if (auto label = label_of(line); !label.empty()) {
        blocks.emplace_back();
        blocks.back().name = label;
        blocks.back().head = i + 1;
        phis = true;
        continue;
      }
      auto& b = blocks.back();
      if (phis && line.find(" = phi ") != std::string_view::npos)
        b.head = i + 1;
      else if (!line.empty())
        phis = phis && line.find("#dbg_") != std::string_view::npos;
      targets_in(line, b.targets); // a switch has its targets on the lines below
      if (is_terminator(line))
        if (auto dbg = line.find("!dbg "); dbg != std::string_view::npos)
          b.location = std::string{line.substr(dbg + 5, line.find_first_of(", ", dbg + 5) - dbg - 5)};
    }
    std::map<std::string, std::size_t> index;
    for (std::size_t b = 0; b < blocks.size(); ++b)
      index.emplace(blocks[b].name, b);
    for (std::size_t b = 0; b < blocks.size(); ++b)
      for (const auto& t : blocks[b].targets)
        if (auto to = index.find(t); to != index.end()) {
          blocks[b].next.push_back(to->second);
          blocks[to->second].before.push_back(b);
        }
    std::map<std::size_t, std::set<std::size_t>> bodies;
    std::map<std::size_t, std::size_t> latch;
    find_loops(blocks, bodies, latch);
    for (const auto& [head, body] : bodies) {
      if (made.loops.size() >= most)
        break;
      ticked_loop loop;
      loop.id = static_cast<int>(made.loops.size());
      loop.function = function.substr(0, 120);
      loop.line = line_of(locations, blocks[latch[head]].location);
      loop.depth = 0;
      for (const auto& [other, inside] : bodies)
        loop.depth += inside.contains(head) ? 1 : 0;
      ticks[blocks[head].head] = loop.id;
      made.loops.push_back(std::move(loop));
    }
  }
  if (ticks.empty()) {
    made.text = std::string{ir};
    return made;
  }
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (auto tick = ticks.find(i); tick != ticks.end())
      made.text += "  call void @ke_tick(i32 " + std::to_string(tick->second) + ")\n";
    made.text.append(lines[i]) += '\n';
  }
  made.text += "declare void @ke_tick(i32)\n";
  return made;
}

std::string tick_runtime() {
  return R"(#include <stdint.h>
#include <stdio.h>
namespace {
constexpr int loops = 256, kept = 4096;
uint64_t turns[loops], cycles[loops], least = ~0ull, at[kept], first, last;
int who[kept], n, current = -1;
}
extern "C" void ke_tick(int id) {
  uint64_t now = __builtin_readcyclecounter();
  if (current >= 0) {
    uint64_t d = now - last;
    cycles[current] += d;
    if (d < least) least = d;
  } else {
    first = now;
  }
  if (n < kept) { who[n] = id; at[n++] = now - first; }
  ++turns[id & (loops - 1)];
  current = id & (loops - 1);
  last = __builtin_readcyclecounter();
}
extern "C" __attribute__((visibility("default"))) void ke_ticks_reset() {
  for (int i = 0; i < loops; ++i) turns[i] = cycles[i] = 0;
  n = 0, current = -1, least = ~0ull;
}
extern "C" __attribute__((visibility("default"))) void ke_ticks_print() {
  uint64_t now = __builtin_readcyclecounter();
  if (current >= 0) cycles[current] += now - last;
  printf("\nke-ticks 1\nleast %llu\n", (unsigned long long)(least == ~0ull ? 0 : least));
  for (int i = 0; i < loops; ++i)
    if (turns[i]) printf("loop %d %llu %llu\n", i, (unsigned long long)turns[i], (unsigned long long)cycles[i]);
  for (int i = 0; i < n; ++i) printf("tick %d %llu\n", who[i], (unsigned long long)at[i]);
  fflush(stdout);
}
)";
}

loop_profile read_ticks(std::string_view text, const std::vector<ticked_loop>& loops) {
  loop_profile found;
  auto start = text.rfind("ke-ticks 1\n");
  if (start == std::string_view::npos)
    return found;
  double least = 0;
  auto known = [&](unsigned long long id) { return id < loops.size(); };
  for (auto line : lines_of(text.substr(start))) {
    unsigned long long a = 0, b = 0, c = 0;
    std::string row{line.substr(0, 100)};
    if (std::sscanf(row.c_str(), "least %llu", &a) == 1) {
      least = static_cast<double>(a);
    } else if (std::sscanf(row.c_str(), "loop %llu %llu %llu", &a, &b, &c) == 3 && known(a)) {
      loop_time t;
      t.loop = loops[a];
      t.turns = static_cast<double>(b);
      t.cycles = std::max(0.0, static_cast<double>(c) - least * t.turns);
      found.cycles += t.cycles;
      found.loops.push_back(std::move(t));
    } else if (std::sscanf(row.c_str(), "tick %llu %llu", &a, &b) == 2 && known(a) &&
               found.spans.size() < most_spans) {
      auto when = static_cast<double>(b);
      if (!found.spans.empty())
        found.spans.back().length = std::max(0.0, when - found.spans.back().begin);
      found.spans.push_back({static_cast<int>(a), when, 0});
    }
  }
  if (!found.spans.empty())
    found.spans.pop_back(); // its end was not seen
  for (auto& t : found.loops)
    t.share = found.cycles > 0 ? t.cycles / found.cycles : 0;
  std::sort(found.loops.begin(), found.loops.end(),
            [](const loop_time& a, const loop_time& b) { return a.cycles > b.cycles; });
  return found;
}

std::string trace_text(const loop_profile& profile, const std::vector<ticked_loop>& loops) {
  constexpr std::size_t most = 1000;
  std::string text;
  std::size_t n = 0;
  for (const auto& s : profile.spans) {
    if (n++ == most)
      break;
    const auto& l = loops[static_cast<std::size_t>(s.id)];
    auto name = l.line ? "line:" + std::to_string(l.line) : l.function + ":" + std::to_string(l.id);
    char row[64];
    std::snprintf(row, sizeof row, " %.0f %.0f\n", s.begin, s.length);
    text += name + row;
  }
  return text;
}

std::string describe_loops(const loop_profile& profile, std::size_t most) {
  std::string text;
  for (const auto& t : profile.loops) {
    if (most-- == 0)
      break;
    char line[200];
    std::snprintf(
        line, sizeof line, "%s%s (depth %d): %.0f%% of the time, %.6g turns of %.3g cycles",
        text.empty() ? "" : "\n",
        (t.loop.line ? "line " + std::to_string(t.loop.line) : "a loop of " + t.loop.function.substr(0, 60))
            .c_str(),
        t.loop.depth, 100 * t.share, t.turns, t.turns > 0 ? t.cycles / t.turns : 0);
    text += line;
  }
  return text;
}

} // namespace ke
