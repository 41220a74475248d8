#include "backends/profile/loop_ticks.hpp"

#include "backends/evidence/call_trace.hpp"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <map>
#include <set>

namespace ke {
namespace {

constexpr std::size_t most_assembly_lines = 400'000, most_blocks = 20'000;
constexpr std::size_t most_members = 1'000'000; ///< of all loops' bodies together

struct block {
  std::string name;
  std::size_t head = 0; ///< line after the label and all phis
  std::vector<std::string> targets;
  std::string location; ///< "!20" of its terminator
  std::vector<std::size_t> next, before;
};

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty() && lines.size() < most_assembly_lines) {
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
  std::size_t members = 0;
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
        while (!open.empty() && members < most_members) {
          auto b = open.back();
          open.pop_back();
          ++members;
          if (body.insert(b).second)
            open.insert(open.end(), blocks[b].before.begin(), blocks[b].before.end());
        }
      }
    }
  }
}

/// As a table and a trace may carry it.
std::string plain(std::string name) {
  name.resize(std::min<std::size_t>(name.size(), 80));
  for (auto& c : name)
    if (!is_plain_name({&c, 1}))
      c = '_';
  return name.empty() ? "_" : name;
}

/// A constant with a NUL at its end. What is not a letter or a digit is escaped.
std::string constant_text(std::string_view name, std::string_view text) {
  constexpr char digits[] = "0123456789ABCDEF";
  std::string out =
      "@" + std::string{name} + " = constant [" + std::to_string(text.size() + 1) + " x i8] c\"";
  for (unsigned char c : text)
    if (std::isalnum(c))
      out += static_cast<char>(c);
    else
      out += std::string{'\\'} + digits[c >> 4] + digits[c & 15];
  return out + "\\00\"\n";
}

int line_of(const std::map<std::string, int, std::less<>>& locations, const std::string& name) {
  auto at = locations.find(name);
  return at == locations.end() ? 0 : at->second;
}

/// Line numbers by name.
std::map<std::string, int, std::less<>> locations_in(const std::vector<std::string_view>& lines) {
  std::map<std::string, int, std::less<>> locations;
  for (auto line : lines)
    if (auto at = line.find(" = !DILocation(line: "); line.starts_with("!") && at != std::string_view::npos)
      locations.emplace(line.substr(0, at), std::atoi(std::string{line.substr(at + 21, 9)}.c_str()));
  return locations;
}

/// The blocks of the function whose definition is line `i`; moves that to the function's end.
std::vector<block> blocks_of(const std::vector<std::string_view>& lines, std::size_t& i) {
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
  return blocks;
}

/// The module with a call before each loop's head, and the table of loops.
std::string text_with(const std::vector<std::string_view>& lines, const std::map<std::size_t, int>& ticks,
                      const std::vector<ticked_loop>& loops) {
  std::string text;
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (auto tick = ticks.find(i); tick != ticks.end())
      text += "  call void @ke_tick(i32 " + std::to_string(tick->second) + ")\n";
    text.append(lines[i]) += '\n';
  }
  text += "declare void @ke_tick(i32)\n";
  std::string table;
  for (const auto& l : loops)
    table += "at " + std::to_string(l.id) + ' ' + std::to_string(l.line) + ' ' + std::to_string(l.depth) +
             ' ' + l.function + '\n';
  text += constant_text("ke_loop_table", table);
  return text;
}

} // namespace

ticked_module insert_ticks(std::string_view ir, std::size_t most) {
  ticked_module made;
  auto lines = lines_of(ir);
  auto locations = locations_in(lines);
  std::map<std::size_t, int> ticks; // line number -> id
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!lines[i].starts_with("define "))
      continue;
    auto at = lines[i].find('@');
    auto function = std::string{lines[i].substr(at + 1, lines[i].find('(', at) - at - 1)};
    auto blocks = blocks_of(lines, i);
    std::map<std::size_t, std::set<std::size_t>> bodies;
    std::map<std::size_t, std::size_t> latch;
    find_loops(blocks, bodies, latch);
    for (const auto& [head, body] : bodies) {
      if (made.loops.size() >= most)
        break;
      ticked_loop loop;
      loop.id = static_cast<int>(made.loops.size());
      loop.function = plain(function);
      loop.line = line_of(locations, blocks[latch[head]].location);
      loop.depth = 0;
      for (const auto& [other, inside] : bodies)
        loop.depth += inside.contains(head) ? 1 : 0;
      ticks[blocks[head].head] = loop.id;
      made.loops.push_back(std::move(loop));
    }
  }
  made.text = ticks.empty() ? std::string{ir} : text_with(lines, ticks, made.loops);
  return made;
}

} // namespace ke
