#include "runtime/text/text_diff.hpp"

#include <catch2/catch.hpp>

#include <random>

using namespace ke;

namespace {

/// Applies an edit script to the first text: what it makes of it, and what it took it from.
std::pair<std::string, std::string> both_of(const std::vector<line_edit>& edits) {
  std::string a, b;
  for (const auto& e : edits) {
    if (e.kind != '+')
      a.append(e.line) += '\n';
    if (e.kind != '-')
      b.append(e.line) += '\n';
  }
  return {a, b};
}

std::size_t changes(const std::vector<line_edit>& edits) {
  std::size_t n = 0;
  for (const auto& e : edits)
    n += e.kind != ' ';
  return n;
}

/// Length of the longest common subsequence, by the textbook's table.
std::size_t longest_common(const std::string& a, const std::string& b) {
  std::vector<std::vector<std::size_t>> t(a.size() + 1, std::vector<std::size_t>(b.size() + 1));
  for (std::size_t i = 1; i <= a.size(); ++i)
    for (std::size_t j = 1; j <= b.size(); ++j)
      t[i][j] = a[i - 1] == b[j - 1] ? t[i - 1][j - 1] + 1 : std::max(t[i - 1][j], t[i][j - 1]);
  return t[a.size()][b.size()];
}

std::string lines_of(const std::string& letters) {
  std::string text;
  for (char c : letters)
    (text += c) += '\n';
  return text;
}

} // namespace

TEST_CASE("a diff is written in unified form with three lines of context") {
  auto a = lines_of("abcdefghij"), b = lines_of("abcdXfghij");
  CHECK(unified_diff(a, b, "one", "two") ==
        "--- one\n+++ two\n@@ -2,7 +2,7 @@\n b\n c\n d\n-e\n+X\n f\n g\n h\n");
  CHECK(unified_diff(a, a, "one", "two").empty());
  CHECK(unified_diff("", "x\n", "one", "two") == "--- one\n+++ two\n@@ -0,0 +1 @@\n+x\n");
  CHECK(unified_diff("x\ny\n", "y\n", "one", "two") == "--- one\n+++ two\n@@ -1,2 +1 @@\n-x\n y\n");
}

TEST_CASE("far changes stand in hunks of their own") {
  auto text = unified_diff(lines_of("abcdefghijklmnopqrst"), lines_of("Abcdefghijklmnopqrs"), "a", "b", 1);
  CHECK(text == "--- a\n+++ b\n@@ -1,2 +1,2 @@\n-a\n+A\n b\n@@ -19,2 +19 @@\n s\n-t\n");
}

TEST_CASE("edit scripts are right and shortest for random texts") {
  std::mt19937 random{7};
  for (int round = 0; round < 400; ++round) {
    std::string a, b;
    for (auto* s : {&a, &b})
      for (auto n = random() % 25; n > 0; --n)
        *s += static_cast<char>('a' + random() % 4);
    auto text_a = lines_of(a), text_b = lines_of(b); // the edits are views into these
    auto edits = line_edits(text_a, text_b);
    INFO(a << " -> " << b);
    CHECK(both_of(edits) == std::pair{text_a, text_b});
    CHECK(changes(edits) == a.size() + b.size() - 2 * longest_common(a, b));
  }
}

TEST_CASE("texts without anything in common are replaced whole, however long") {
  std::string a, b;
  for (int i = 0; i < 5000; ++i) {
    a += "a" + std::to_string(i) + "\n";
    b += "b" + std::to_string(i) + "\n";
  }
  auto edits = line_edits(a, b);
  CHECK(both_of(edits) == std::pair{a, b});
  CHECK(changes(edits) == 10000);
}
