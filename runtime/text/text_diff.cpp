#include "runtime/text/text_diff.hpp"

#include <algorithm>
#include <cstdint>
#include <span>

namespace ke {
namespace {

/// The trace takes D^2 numbers: at this D, 32 MB.
constexpr int most_differences = 2000;

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    auto end = text.find('\n');
    lines.push_back(text.substr(0, end));
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
  }
  return lines;
}

using lines = std::vector<std::string_view>;

/// What lies between the common head and the common tail of two texts: `n` lines of `a`, `m` lines of `b`.
struct middle {
  std::span<const std::string_view> a, b;
  int n = static_cast<int>(a.size()), m = static_cast<int>(b.size());

  std::string_view old_line(int x) const { return a[static_cast<std::size_t>(x)]; }
  std::string_view new_line(int y) const { return b[static_cast<std::size_t>(y)]; }
};

/// Row d holds the furthest x on the diagonals -d, -d+2, ..., d after d edits.
using edit_trace = std::vector<std::vector<std::int32_t>>;

/// Myers' greedy algorithm. Empty: the texts differ in too many lines.
edit_trace trace_of(const middle& t) {
  auto limit = std::min(t.n + t.m, most_differences);
  edit_trace trace;
  std::vector<std::int32_t> furthest(2 * static_cast<std::size_t>(limit) + 3, 0);
  auto at = [middle = furthest.data() + limit + 1](int k) -> std::int32_t& { return middle[k]; };
  bool reached = false;
  for (int d = 0; d <= limit && !reached; ++d) {
    for (int k = -d; k <= d; k += 2) {
      int x = k == -d || (k != d && at(k - 1) < at(k + 1)) ? at(k + 1) : at(k - 1) + 1;
      int y = x - k;
      while (x < t.n && y < t.m && t.old_line(x) == t.new_line(y))
        ++x, ++y;
      at(k) = x;
      if (x >= t.n && y >= t.m) {
        reached = true;
        break;
      }
    }
    trace.emplace_back(furthest.begin() + (limit + 1 - d), furthest.begin() + (limit + 2 + d));
  }
  return reached ? trace : edit_trace{};
}

/// The script that a trace found, from its end to its beginning.
std::vector<line_edit> script_backwards(const middle& t, const edit_trace& trace) {
  std::vector<line_edit> back;
  int x = t.n, y = t.m;
  for (int step = static_cast<int>(trace.size()) - 1; step > 0; --step) {
    const auto& before = trace[static_cast<std::size_t>(step - 1)]; // diagonals -(step-1)..step-1
    auto was = [&](int k) {
      return k < -(step - 1) || k > step - 1 ? -1 : before[static_cast<std::size_t>(k + step - 1)];
    };
    int k = x - y;
    bool down = k == -step || (k != step && was(k - 1) < was(k + 1));
    int from_x = down ? was(k + 1) : was(k - 1), from_y = from_x - (down ? k + 1 : k - 1);
    while (x > from_x + (down ? 0 : 1) && y > from_y + (down ? 1 : 0)) {
      --x, --y;
      back.push_back({' ', t.old_line(x)});
    }
    if (down)
      back.push_back({'+', t.new_line(--y)});
    else
      back.push_back({'-', t.old_line(--x)});
  }
  while (x > 0)
    back.push_back({' ', t.old_line(--x)});
  return back;
}

void shortest_script(const middle& t, std::vector<line_edit>& out) {
  auto trace = t.n == 0 || t.m == 0 ? edit_trace{} : trace_of(t);
  if (trace.empty()) {
    for (int x = 0; x < t.n; ++x)
      out.push_back({'-', t.old_line(x)});
    for (int y = 0; y < t.m; ++y)
      out.push_back({'+', t.new_line(y)});
    return;
  }
  auto back = script_backwards(t, trace);
  out.insert(out.end(), back.rbegin(), back.rend());
}

std::string range(std::size_t first, std::size_t count) {
  return std::to_string(count == 0 ? first : first + 1) + (count == 1 ? "" : "," + std::to_string(count));
}

} // namespace

std::vector<line_edit> line_edits(std::string_view text_a, std::string_view text_b) {
  auto a = lines_of(text_a), b = lines_of(text_b);
  std::size_t head = 0, tail = 0;
  while (head < a.size() && head < b.size() && a[head] == b[head])
    ++head;
  while (tail < a.size() - head && tail < b.size() - head && a[a.size() - 1 - tail] == b[b.size() - 1 - tail])
    ++tail;
  std::vector<line_edit> out;
  out.reserve(a.size());
  for (std::size_t i = 0; i < head; ++i)
    out.push_back({' ', a[i]});
  std::span old_lines{a}, new_lines{b};
  shortest_script(
      {old_lines.subspan(head, a.size() - head - tail), new_lines.subspan(head, b.size() - head - tail)},
      out);
  for (auto i = a.size() - tail; i < a.size(); ++i)
    out.push_back({' ', a[i]});
  return out;
}

std::string unified_diff(std::string_view a, std::string_view b, const std::string& a_name,
                         const std::string& b_name, std::size_t context) {
  auto edits = line_edits(a, b);
  std::string text;
  std::size_t i = 0, a_line = 0, b_line = 0; // lines of each text before edit i
  auto pass = [&](const line_edit& e) {
    a_line += e.kind != '+';
    b_line += e.kind != '-';
  };
  while (i < edits.size()) {
    auto change = i;
    while (change < edits.size() && edits[change].kind == ' ')
      ++change;
    if (change == edits.size())
      break;
    auto first = std::max(i, change - std::min(change, context));
    auto end = change; // behind the last change of this hunk
    for (auto j = change; j < edits.size() && j <= end + 2 * context; ++j)
      if (edits[j].kind != ' ')
        end = j + 1;
    end = std::min(edits.size(), end + context);
    for (; i < first; ++i)
      pass(edits[i]);
    auto a_first = a_line, b_first = b_line;
    std::string body;
    for (; i < end; ++i) {
      pass(edits[i]);
      (body += edits[i].kind).append(edits[i].line) += '\n';
    }
    text +=
        "@@ -" + range(a_first, a_line - a_first) + " +" + range(b_first, b_line - b_first) + " @@\n" + body;
  }
  return text.empty() ? text : "--- " + a_name + "\n+++ " + b_name + "\n" + text;
}

} // namespace ke
