#include "runtime/text/text_diff.hpp"

#include <algorithm>
#include <cstdint>

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

/// Myers' greedy algorithm between the common head and the common tail. Row d of the trace holds the furthest
/// x on the diagonals -d, -d+2, ..., d after d edits; going back through the rows gives the script.
void shortest_script(const lines& a, const lines& b, int a0, int a1, int b0, int b1,
                     std::vector<line_edit>& out) {
  int n = a1 - a0, m = b1 - b0;
  auto replace_all = [&] {
    for (int i = a0; i < a1; ++i)
      out.push_back({'-', a[static_cast<std::size_t>(i)]});
    for (int i = b0; i < b1; ++i)
      out.push_back({'+', b[static_cast<std::size_t>(i)]});
  };
  if (n == 0 || m == 0)
    return replace_all();
  auto limit = std::min(n + m, most_differences);
  std::vector<std::vector<std::int32_t>> trace;
  std::vector<std::int32_t> furthest(static_cast<std::size_t>(2 * limit + 3), 0);
  auto at = [&](int k) -> std::int32_t& { return furthest[static_cast<std::size_t>(k + limit + 1)]; };
  int d = 0;
  bool reached = false;
  for (; d <= limit && !reached; ++d) {
    for (int k = -d; k <= d; k += 2) {
      int x = k == -d || (k != d && at(k - 1) < at(k + 1)) ? at(k + 1) : at(k - 1) + 1;
      int y = x - k;
      while (x < n && y < m && a[static_cast<std::size_t>(a0 + x)] == b[static_cast<std::size_t>(b0 + y)])
        ++x, ++y;
      at(k) = x;
      if (x >= n && y >= m) {
        reached = true;
        break;
      }
    }
    trace.emplace_back(furthest.begin() + (limit + 1 - d), furthest.begin() + (limit + 2 + d));
  }
  if (!reached)
    return replace_all();
  std::vector<line_edit> back;
  int x = n, y = m;
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
      back.push_back({' ', a[static_cast<std::size_t>(a0 + x)]});
    }
    if (down)
      back.push_back({'+', b[static_cast<std::size_t>(b0 + --y)]});
    else
      back.push_back({'-', a[static_cast<std::size_t>(a0 + --x)]});
  }
  while (x > 0) {
    --x;
    back.push_back({' ', a[static_cast<std::size_t>(a0 + x)]});
  }
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
  for (std::size_t i = 0; i < head; ++i)
    out.push_back({' ', a[i]});
  shortest_script(a, b, static_cast<int>(head), static_cast<int>(a.size() - tail), static_cast<int>(head),
                  static_cast<int>(b.size() - tail), out);
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
